import type { Clock } from './clock';

/** How a request ended, as far as the pacer has to know. */
export interface Ending {
	/** Milliseconds to wait after a 429. */
	rateLimitedFor?: number;
	/** Whether it was cancelled, so that it says nothing about the rate limit. */
	isCancelled?: boolean;
}

/** Permission to send one request; to be given back when the request has ended. */
export type Slot = (ending?: Ending) => void;

export interface SlotRequest {
	/** How many such requests a window may see; undefined for requests without a known limit. */
	limit?: number;
	/** Whether it belongs to a run of many, which leaves the reserve of the limit to others. */
	isBulk?: boolean;
	/** The moment by the clock until which the request may wait. */
	deadline?: number;
	signal?: AbortSignal;
}

/** The part of a limit that runs of many leave free, so that a single request need not wait for them. */
const RESERVE = 0.05;

// 60 seconds, and a little for the resolution of clocks and timers.
const WINDOW = 60_100;
const POLL = 50;
/** Milliseconds after which 429s and nothing else are no wait any more. */
const LONGEST_STALL = 15 * 60_000;

/** How many requests of a limit runs of many leave free. */
export function reserveOf(limit: number): number {
	return Math.floor(limit * RESERVE);
}

/**
 * Paces the requests of one team that share a limit, in this process.
 *
 * A request that ended at a moment was counted by the service at that moment at the latest, and one that
 * begins is counted then at the earliest. So a request begins only when fewer than `limit` requests are
 * under way or ended within the last 60 seconds: then no window of 60 seconds, wherever it starts, sees
 * more, whatever the network does to the time in between.
 *
 * A 429 means that others use the same budget. It holds all of these requests back, and after the wait a single
 * one goes first, as a probe. If that one is cancelled, the next one is the probe.
 */
export class Pacer {
	private readonly ended: number[] = [];
	/** Requests with a limit that are under way. */
	private underWay = 0;
	/** All that wait or are under way. */
	private inUse = 0;
	private pausedUntil = 0;
	private rateLimited = false;
	private probing = false;
	/** When the first 429 came of those since which nothing else did. */
	private refusedSince?: number;

	private readonly clock: Clock;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/**
	 * Waits until a request may be sent.
	 *
	 * @returns undefined when the signal aborts, and at once when the request would have to wait beyond its deadline, or
	 *   for a service that accepts nothing any more.
	 */
	async acquire({
		limit,
		isBulk = false,
		deadline = Infinity,
		signal,
	}: SlotRequest): Promise<Slot | undefined> {
		const allowed = limit !== undefined && isBulk ? limit - reserveOf(limit) : limit;
		// Nobody has tried since.
		if (this.inUse === 0 && !this.isPaused) this.refusedSince = undefined;
		this.inUse++;
		while (!signal?.aborted) {
			const delay = this.delay(allowed);
			if (delay === 0) return this.begin(limit !== undefined);
			// A probe that is under way may show that it is over.
			const isGivenUp = this.isStalled && this.isPaused;
			if (isGivenUp || this.clock.now() + delay > deadline) break;
			await this.clock.wait(delay, signal);
		}
		this.inUse--;
		return undefined;
	}

	/** Milliseconds that are left of the pause after a 429. */
	get pause(): number {
		return Math.max(this.pausedUntil - this.clock.now(), 0);
	}

	/** Whether the service has answered 429 and nothing else for so long that waiting is of no use. */
	get isStalled(): boolean {
		return this.refusedSince !== undefined && this.clock.now() - this.refusedSince >= LONGEST_STALL;
	}

	/** Whether nothing is remembered, so that the pacer can be forgotten. */
	get isIdle(): boolean {
		this.forgetOld();
		return this.inUse === 0 && this.ended.length === 0 && !this.isPaused;
	}

	private get isPaused(): boolean {
		return this.pause > 0;
	}

	private begin(counts: boolean): Slot {
		const isProbe = this.rateLimited && !this.probing;
		if (isProbe) this.probing = true;
		if (counts) this.underWay++;
		return ({ rateLimitedFor, isCancelled = false } = {}) => {
			const now = this.clock.now();
			this.inUse--;
			if (counts) {
				this.underWay--;
				this.ended.push(now);
			}
			if (isProbe) this.probing = false;
			if (rateLimitedFor !== undefined) {
				this.rateLimited = true;
				this.refusedSince ??= now;
				this.pausedUntil = Math.max(this.pausedUntil, now + rateLimitedFor);
			} else if (!isCancelled) {
				this.refusedSince = undefined;
				if (isProbe) this.rateLimited = false;
			}
		};
	}

	/** Milliseconds until a request may be sent as far as one can tell now. */
	private delay(limit?: number): number {
		const now = this.clock.now();
		if (this.isPaused) return this.pause;
		if (this.probing) return POLL;
		if (limit === undefined) return 0;
		this.forgetOld();
		const tooMany = this.underWay + this.ended.length - limit + 1;
		if (tooMany <= 0) return 0;
		return tooMany <= this.ended.length ? this.ended[tooMany - 1] + WINDOW - now : POLL;
	}

	private forgetOld(): void {
		const horizon = this.clock.now() - WINDOW;
		const kept = this.ended.findIndex((moment) => moment > horizon);
		this.ended.splice(0, kept === -1 ? this.ended.length : kept);
	}
}

const pacers = new Map<string, Pacer>();

/**
 * The pacer that all executions of this process share for a team and a limit. To be asked for before each
 * request, since one that has nothing left to remember is forgotten.
 */
export function pacerOf(key: string, clock: Clock): Pacer {
	const known = pacers.get(key);
	if (known) return known;
	for (const [other, pacer] of pacers) if (pacer.isIdle) pacers.delete(other);
	const pacer = new Pacer(clock);
	pacers.set(key, pacer);
	return pacer;
}

/** Forgets what was sent, for tests that start afresh. */
export function resetPacers(): void {
	pacers.clear();
}
