import type { Clock } from './clock';
import type { Answer } from './request';
import { isRateLimited } from './retry';

/** Gives the permission to send one request back: with its answer, and the milliseconds to wait if that is a 429. */
export type Release = (answer: Answer, pause?: number) => void;

/** What the pacer has to know of a request. */
export interface Turn {
	/** How many such requests a window may see; undefined for requests without a known limit. */
	limit?: number;
	/** How many items its run has. A run of many leaves a part of the limit to others. */
	items?: number;
	/** The moment by the clock until which the request may wait. */
	deadline?: number;
	signal?: AbortSignal;
}

/** The part of a limit that runs of many leave free, so that a single request need not wait for them. */
const RESERVE = 0.05;

// 60 seconds, and a little for the resolution of clocks and timers.
const WINDOW = 60_100;
const POLL = 50;
/** Milliseconds after which it stops waiting, when nothing but 429s came. */
const LONGEST_STALL = 15 * 60_000;

/**
 * Paces the requests of one team that share a limit, in this process.
 *
 * A request that ended at a moment was counted by the service at that moment at the latest, and one that
 * begins is counted then at the earliest. So a request begins only when fewer than `limit` requests are
 * under way or ended within the last 60 seconds: then no window of 60 seconds, wherever it starts, sees
 * more, whatever the network does to the time in between.
 *
 * A 429 means that others use the same budget. It holds all of these requests back, and after the pause a single
 * one goes first, as a probe. If that one is cancelled, the next one is the probe.
 */
export class Pacer {
	/** When requests with a limit ended, for as long as they count. */
	private readonly ended: number[] = [];
	/** Requests with a limit that are under way. */
	private underWay = 0;
	/** All that wait or are under way. */
	private inUse = 0;
	private pausedUntil = 0;
	/** Whether a single request has to find out if the 429s are over. */
	private probe: 'notNeeded' | 'needed' | 'underWay' = 'notNeeded';
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
		items = 1,
		deadline = Infinity,
		signal,
	}: Turn): Promise<Release | undefined> {
		// Nobody has tried since.
		if (this.inUse === 0 && this.pause === 0) this.refusedSince = undefined;
		this.inUse++;
		while (!signal?.aborted) {
			const delay = this.delayFor(limit, items);
			if (delay === 0) return this.begin(limit !== undefined);
			// A probe that is under way may show that it is over.
			const isGivenUp = this.isStalled && this.pause > 0;
			if (isGivenUp || this.clock.now() + delay > deadline) break;
			await this.clock.wait(delay, signal);
		}
		this.inUse--;
		// Whoever stops a run that waits and starts it again wants to see at once whether the service still refuses.
		if (signal?.aborted && this.inUse === 0) this.pausedUntil = 0;
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
		return this.inUse === 0 && this.ended.length === 0 && this.pause === 0;
	}

	private begin(isCounted: boolean): Release {
		const isProbe = this.probe === 'needed';
		if (isProbe) this.probe = 'underWay';
		if (isCounted) this.underWay++;
		return (answer, pause = 0) => {
			const now = this.clock.now();
			this.inUse--;
			if (isCounted) {
				this.underWay--;
				this.ended.push(now);
			}
			if (isProbe) this.probe = 'needed';
			// It says nothing of the limit.
			if (answer.kind === 'failure' && answer.reason === 'cancelled') return;
			if (isRateLimited(answer)) {
				if (this.probe === 'notNeeded') this.probe = 'needed';
				this.refusedSince ??= now;
				this.pausedUntil = Math.max(this.pausedUntil, now + pause);
			} else {
				this.refusedSince = undefined;
				if (isProbe) this.probe = 'notNeeded';
			}
		};
	}

	/** Milliseconds until a request may be sent as far as one can tell now. */
	private delayFor(limit: number | undefined, items: number): number {
		if (this.pause > 0) return this.pause;
		if (this.probe === 'underWay') return POLL;
		if (limit === undefined) return 0;
		const reserve = Math.floor(limit * RESERVE);
		const allowed = items > reserve ? limit - reserve : limit;
		this.forgetOld();
		const tooMany = this.underWay + this.ended.length - allowed + 1;
		if (tooMany <= 0) return 0;
		const isEnough = tooMany <= this.ended.length;
		return isEnough ? this.ended[tooMany - 1] + WINDOW - this.clock.now() : POLL;
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
