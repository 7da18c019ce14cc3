import type { Clock } from './clock';

/** How a request ended, as far as the pacer has to know. */
export interface Ending {
	/** Milliseconds to wait after a 429. */
	rateLimitedFor?: number;
	/** Whether it was cancelled, so that it says nothing about the rate limit. */
	isCancelled?: boolean;
}

/** Permission to send one request; `done` gives it back when the request has ended. */
export interface Slot {
	done(ending?: Ending): void;
}

/** What a request asks for. */
export interface SlotRequest {
	/** How many such requests a window may see; undefined for requests without a known limit. */
	limit?: number;
	signal?: AbortSignal;
}

// 60 seconds, and a little for the resolution of clocks and timers.
const WINDOW = 60_100;
const POLL = 50;

const NOTHING_SENT: Slot = { done: () => {} };

/**
 * Paces the requests of one team that share a limit, in this process.
 *
 * A request that ended at a moment was counted by the service at that moment at the latest, and one that
 * begins is counted then at the earliest. So a request begins only when fewer than `limit` requests are
 * under way or ended within the last 60 seconds: then no window of 60 seconds, wherever it starts, sees
 * more, whatever the network does to the time in between.
 *
 * A 429 tells that others use the same budget. It holds all of these requests back, and after the wait a single
 * one tries before the rest follows. When that one is cancelled, the next one tries.
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

	private readonly clock: Clock;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** Waits until a request may be sent, or until the signal aborts: then nothing may be sent any more. */
	async acquire({ limit, signal }: SlotRequest): Promise<Slot> {
		this.inUse++;
		for (let delay = this.delay(limit); delay > 0 && !signal?.aborted; delay = this.delay(limit)) {
			await this.clock.wait(delay, signal);
		}
		if (!signal?.aborted) return this.begin(limit !== undefined);
		this.inUse--;
		return NOTHING_SENT;
	}

	/** Whether nothing is remembered, so that the pacer can be forgotten. */
	get isIdle(): boolean {
		this.forgetOld();
		return this.inUse === 0 && this.ended.length === 0 && this.clock.now() >= this.pausedUntil;
	}

	private begin(counts: boolean): Slot {
		const isProbe = this.rateLimited && !this.probing;
		if (isProbe) this.probing = true;
		if (counts) this.underWay++;
		return {
			done: ({ rateLimitedFor, isCancelled = false } = {}) => {
				this.inUse--;
				if (counts) {
					this.underWay--;
					this.ended.push(this.clock.now());
				}
				if (isProbe) this.probing = false;
				if (rateLimitedFor !== undefined) {
					this.rateLimited = true;
					this.pausedUntil = Math.max(this.pausedUntil, this.clock.now() + rateLimitedFor);
				} else if (isProbe && !isCancelled) {
					this.rateLimited = false;
				}
			},
		};
	}

	/** Milliseconds until a request may be sent as far as one can tell now. */
	private delay(limit?: number): number {
		const now = this.clock.now();
		if (now < this.pausedUntil) return this.pausedUntil - now;
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
