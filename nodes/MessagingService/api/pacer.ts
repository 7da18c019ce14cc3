import { type NoResponse, noResponse, type CallResult } from './request';
import { isRateLimited, MAX_STALL, retryDelay } from './retry';
import type { Clock } from './time';

/** What the pacer needs to know about a call. */
interface Turn {
	/** The most calls in any window of 60 seconds. */
	limit: number;
	/** How many items its run has. A large run leaves a part of the limit to others. */
	itemCount?: number;
	signal?: AbortSignal;
}

/** The part of a limit that large runs leave free, so that a single call need not wait for them. */
const RESERVE = 0.05;

// 60 seconds, and a little more for the resolution of clocks and timers.
const WINDOW = 60_100;
const POLL_INTERVAL = 50;

/**
 * Paces the webhook calls of one team in this process.
 *
 * The service counts a call at an unknown moment between its beginning and its end. So a call begins only when fewer
 * than `limit` calls are under way or ended within the last 60 seconds: then no window of 60 seconds, wherever it starts,
 * contains more than `limit`, however long calls are on their way.
 *
 * A 429 means that others use the same budget. It holds all calls back, and after the pause a single one goes first, as
 * a probe. The others follow when it gets any other answer.
 */
class Pacer {
	/** When calls ended, for as long as they count. */
	private readonly ended: number[] = [];
	private underWay = 0;
	/** How many calls wait or are under way. */
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
	 * Makes a call when its turn has come.
	 *
	 * @returns What came of it. It is not made, and a failure is returned, when the signal aborts, or when the service has
	 *   refused everything for too long.
	 */
	async run<Result extends CallResult<unknown>>(
		turn: Turn,
		send: () => Promise<Result>,
	): Promise<Result | NoResponse> {
		// The stall counts from now on, since nobody has tried in the meantime.
		if (this.inUse === 0 && this.pause === 0 && this.rateLimited)
			this.rateLimited.since = this.clock.now();
		this.inUse++;
		try {
			while (!turn.signal?.aborted) {
				const delay = this.delayFor(turn);
				if (delay === 0) return await this.sendNow(send);
				if (this.isStalled) return noResponse('stalled');
				await this.clock.wait(delay, turn.signal);
			}
			return noResponse('cancelled');
		} finally {
			this.inUse--;
		}
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
		send: () => Promise<Result>,
	): Promise<Result> {
		const isProbe = this.rateLimited !== undefined;
		if (isProbe) this.isProbing = true;
		this.underWay++;
		try {
			const result = await send();
			this.learnFrom(result, isProbe);
			return result;
		} finally {
			if (isProbe) this.isProbing = false;
			this.underWay--;
			this.ended.push(this.clock.now());
		}
	}

	private learnFrom(result: CallResult<unknown>, isProbe: boolean): void {
		if (isRateLimited(result)) {
			const now = this.clock.now();
			this.rateLimited ??= { since: now, probes: 0 };
			if (isProbe) this.rateLimited.probes++;
			const pause = retryDelay(result, this.rateLimited.probes);
			this.pausedUntil = Math.max(this.pausedUntil, now + pause);
		} else if (isProbe) {
			this.rateLimited = undefined;
		}
	}

	/** Milliseconds until a call may be made, as far as can be told now. */
	private delayFor({ limit, itemCount = 1 }: Turn): number {
		if (this.pause > 0) return this.pause;
		if (this.isProbing) return POLL_INTERVAL;
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

/** The pace of all teams, which all executions of a process share. */
export class Pacers {
	private readonly byTeam = new Map<string, Pacer>();
	private readonly clock: Clock;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** The pacer of a team. */
	of(team: string): Pacer {
		const pacer = this.byTeam.get(team) ?? new Pacer(this.clock);
		this.byTeam.set(team, pacer);
		return pacer;
	}
}
