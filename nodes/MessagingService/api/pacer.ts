import { type NoResponse, noResponse, type CallResult } from './request';
import { isRateLimited, retryDelay } from './retry';
import { type Clock, inSeconds, MINUTE_MS } from './time';

/** What the pacer needs to know about a request. */
interface Turn {
	/** The most such requests in any window of 60 seconds; undefined for requests without a known limit. */
	limit?: number;
	/** How many items its run has. A large run leaves a part of the limit to others. */
	itemCount?: number;
	/** The clock time until which the request may wait. */
	deadline?: number;
	signal?: AbortSignal;
}

/** The part of a limit that large runs leave free, so that a single request need not wait for them. */
const RESERVE = 0.05;

// 60 seconds, and a little more for the resolution of clocks and timers.
const WINDOW = 60_100;
const POLL_INTERVAL = 50;
/** Milliseconds of nothing but 429s after which waiting is given up. */
const MAX_STALL = 15 * MINUTE_MS;

/**
 * Paces the requests of one team that share a limit, in this process.
 *
 * The service counts a request at an unknown moment between its beginning and its end. So a request begins only
 * when fewer than `limit` requests are under way or ended within the last 60 seconds: then no window of 60 seconds,
 * wherever it starts, contains more than `limit`, however long requests are on their way.
 *
 * A 429 means that others use the same budget. It holds all of these requests back, and after the pause a single
 * one goes first, as a probe. The others follow when it gets any other answer.
 */
class Pacer {
	/** When requests with a limit ended, for as long as they count. */
	private readonly ended: number[] = [];
	/** Requests with a limit that are under way. */
	private underWay = 0;
	/** All requests that wait or are under way, with or without a limit. */
	private inUse = 0;
	private pausedUntil = 0;
	/** Set by a 429 until a probe gets through: since when, and how many probes were refused as well. */
	private rateLimited?: { since: number; probes: number };
	private isProbing = false;

	private readonly clock: Clock;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/**
	 * Sends a request when its turn has come.
	 *
	 * @returns What came of it. The request is not sent, and a failure is returned, when the signal aborts; or at once when
	 *   it would have to wait beyond its deadline, or when the service has refused everything for too long.
	 */
	async run<Result extends CallResult<unknown>>(
		turn: Turn,
		send: () => Promise<Result>,
	): Promise<Result | NoResponse> {
		const { deadline = Infinity, signal } = turn;
		// The stall counts from now on, since nobody has tried in the meantime.
		if (this.inUse === 0 && this.pause === 0 && this.rateLimited)
			this.rateLimited.since = this.clock.now();
		this.inUse++;
		try {
			while (!signal?.aborted) {
				const delay = this.delayFor(turn);
				if (delay === 0) return await this.sendNow(turn, send);
				if (this.isStalled) return noResponse('stalled');
				if (this.clock.now() + delay >= deadline) {
					return noResponse('heldBack', inSeconds(Math.ceil(delay / 1_000)));
				}
				await this.clock.wait(delay, signal);
			}
			return noResponse('notStarted');
		} finally {
			this.inUse--;
		}
	}

	/** Whether the pacer has nothing left to remember. */
	get isIdle(): boolean {
		this.forgetOld();
		return this.inUse === 0 && this.ended.length === 0 && this.pause === 0;
	}

	/** Milliseconds that are left of the pause after a 429. */
	private get pause(): number {
		return Math.max(this.pausedUntil - this.clock.now(), 0);
	}

	/** Whether 429 has been the only answer for so long that waiting is of no use. */
	private get isStalled(): boolean {
		// The probe that is under way may get through.
		if (!this.rateLimited || this.isProbing) return false;
		return this.clock.now() - this.rateLimited.since >= MAX_STALL;
	}

	private async sendNow<Result extends CallResult<unknown>>(
		{ limit }: Turn,
		send: () => Promise<Result>,
	): Promise<Result> {
		const isProbe = this.rateLimited !== undefined;
		if (isProbe) this.isProbing = true;
		if (limit !== undefined) this.underWay++;
		try {
			const result = await send();
			this.learnFrom(result, isProbe);
			return result;
		} finally {
			if (isProbe) this.isProbing = false;
			if (limit !== undefined) {
				this.underWay--;
				this.ended.push(this.clock.now());
			}
		}
	}

	private learnFrom(result: CallResult<unknown>, isProbe: boolean): void {
		if (isRateLimited(result)) {
			const now = this.clock.now();
			this.rateLimited ??= { since: now, probes: 0 };
			if (isProbe) this.rateLimited.probes++;
			const pause = retryDelay(result, this.rateLimited.probes);
			this.pausedUntil = Math.max(this.pausedUntil, now + pause);
		} else if (isProbe && !saysNothing(result)) {
			this.rateLimited = undefined;
		}
	}

	/** Milliseconds until a request may be sent, as far as can be told now. */
	private delayFor({ limit, itemCount = 1 }: Turn): number {
		if (this.pause > 0) return this.pause;
		if (this.isProbing) return POLL_INTERVAL;
		if (limit === undefined) return 0;
		const reserve = Math.floor(limit * RESERVE);
		const allowed = itemCount > reserve ? limit - reserve : limit;
		this.forgetOld();
		const tooMany = this.underWay + this.ended.length - allowed + 1;
		if (tooMany <= 0) return 0;
		const isEnough = tooMany <= this.ended.length;
		return isEnough ? this.ended[tooMany - 1] + WINDOW - this.clock.now() : POLL_INTERVAL;
	}

	private forgetOld(): void {
		const horizon = this.clock.now() - WINDOW;
		const kept = this.ended.findIndex((moment) => moment > horizon);
		this.ended.splice(0, kept === -1 ? this.ended.length : kept);
	}
}

/** Whether a request was cancelled, or not sent after all. That says nothing of the limit: the next one is the probe. */
function saysNothing(result: CallResult<unknown>): boolean {
	return result.kind === 'noResponse' && ['cancelled', 'outage'].includes(result.reason);
}

const pacers = new Map<string, Pacer>();

/**
 * The pacer that all executions of this process share for a team and a limit. Ask for it before each
 * request: one that has nothing left to remember is dropped.
 */
export function pacerOf(key: string, clock: Clock): Pacer {
	const known = pacers.get(key);
	if (known) return known;
	for (const [other, pacer] of pacers) if (pacer.isIdle) pacers.delete(other);
	const pacer = new Pacer(clock);
	pacers.set(key, pacer);
	return pacer;
}
