import type { CallResult } from './request';
import { isRateLimited, MAX_DELAY, MAX_PAUSE, readRetryAfter } from './retry';
import { type Clock, MINUTE_MS } from './time';

/** What decides when a call may begin. */
export interface Pace {
	/** Milliseconds until the call may begin, as far as can be told now. */
	readonly delay: number;
	/** Whether there is no point in waiting any longer. */
	readonly isGivenUp: boolean;
	/** Notes that the call begins. The returned function takes its result when it ends. */
	begin(): (result: CallResult<unknown>) => void;
}

/** Milliseconds after which a call that waits for another one looks again. */
const LOOK_AGAIN = 50;
/** The first pause after a 429, unless the service asks for a longer one, in milliseconds. */
const FIRST_PAUSE = 1_000;
/** Pauses vary by up to this much, so that processes that wait for the same limit do not all return at one moment. */
const JITTER = 1_000;
/** Milliseconds without a call after which the time with 429 as the only answer is counted anew. */
const IDLE = 2 * MINUTE_MS;

/**
 * Waits out the status 429: for all webhook calls of a team, or for all other requests of a run.
 *
 * A 429 holds back every call for as long as the service asks, but at least a second, and longer each time this did not
 * help. Then a single call goes first as a probe, and the others follow once it gets any other answer. After fifteen
 * minutes with 429 as the only answer, waiting is given up.
 */
export class Backoff implements Pace {
	private readonly clock: Clock;
	private pausedUntil = 0;
	/** Since when 429 has been the only answer, and how many probes got it; undefined while calls get through. */
	private refused?: { since: number; times: number };
	private isProbing = false;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	get delay(): number {
		const pause = Math.max(this.pausedUntil - this.clock.now(), 0);
		return pause === 0 && this.isProbing ? LOOK_AGAIN : pause;
	}

	get isGivenUp(): boolean {
		if (!this.refused || this.isProbing) return false;
		return this.delay > 0 && this.clock.now() - this.refused.since >= MAX_PAUSE;
	}

	begin(): (result: CallResult<unknown>) => void {
		const now = this.clock.now();
		if (this.refused && now - this.pausedUntil > IDLE) this.refused = { since: now, times: 0 };
		const isProbe = this.refused !== undefined;
		if (isProbe) this.isProbing = true;
		return (result) => {
			if (isProbe) this.isProbing = false;
			if (isRateLimited(result)) this.pause(readRetryAfter(result) ?? 0, isProbe);
			// A call without a response tells nothing about the limit, and one from before the pause nothing about its end.
			else if (isProbe && result.kind !== 'noResponse') this.refused = undefined;
		};
	}

	private pause(asked: number, isProbe: boolean): void {
		const now = this.clock.now();
		this.refused ??= { since: now, times: 0 };
		// Calls that were under way together get 429 together, so only a probe counts.
		if (isProbe) this.refused.times++;
		const own = Math.min(FIRST_PAUSE * 2 ** this.refused.times, MAX_DELAY);
		const pause = Math.max(asked, own) + Math.random() * JITTER;
		this.pausedUntil = Math.max(this.pausedUntil, now + Math.min(pause, MAX_PAUSE));
	}
}

/** Who makes a webhook call, and under which limit. */
export interface Turn {
	/** The most calls in any window of 60 seconds. */
	limit: number;
	/** The execution that makes the call. */
	execution: string;
}

/** The webhook calls of one team that this process has made. */
class TeamCalls {
	readonly backoff: Backoff;
	/** How many count, those under way too, by limit and execution. */
	readonly counts = new Map<string, Turn & { count: number }>();
	/** Those that have ended, as long as they count, in the order of their ends. */
	readonly ended: Array<Turn & { at: number }> = [];

	constructor(clock: Clock) {
		this.backoff = new Backoff(clock);
	}

	begin(turn: Turn): void {
		this.add(turn, 1);
	}

	end(turn: Turn, at: number): void {
		this.ended.push({ ...turn, at });
	}

	/** Calls that had ended by this moment no longer count. */
	forget(moment: number): void {
		while (this.ended.length > 0 && this.ended[0].at <= moment) {
			this.add(this.ended[0], -1);
			this.ended.shift();
		}
	}

	private add({ limit, execution }: Turn, change: number): void {
		const key = `${limit} ${execution}`;
		const count = (this.counts.get(key)?.count ?? 0) + change;
		if (count > 0) this.counts.set(key, { limit, execution, count });
		else this.counts.delete(key);
	}
}

/** The part of a limit that an execution leaves to others, once it has made that many calls itself. */
const RESERVE = 0.05;

// 60 seconds, and a little more for the resolution of clocks and timers.
const WINDOW = 60_100;

/**
 * The pace of a webhook call.
 *
 * The service counts a call at an unknown moment between its beginning and its end. So a call begins only when fewer
 * than `limit` calls are under way or ended within the last 60 seconds: then no window of 60 seconds, wherever it starts,
 * contains more than `limit`, however long calls are on their way.
 *
 * Executions may have different limits. Each limit counts the calls under it or under a lower one. An execution that has
 * made 5 % of a limit leaves the last 5 % to others, so that a single call need not wait for a long run.
 */
class Pacer implements Pace {
	private readonly clock: Clock;
	private readonly calls: TeamCalls;
	private readonly turn: Turn;

	constructor(clock: Clock, calls: TeamCalls, turn: Turn) {
		this.clock = clock;
		this.calls = calls;
		this.turn = turn;
	}

	get delay(): number {
		const { calls, turn } = this;
		const pause = calls.backoff.delay;
		if (pause > 0) return pause;
		calls.forget(this.clock.now() - WINDOW);
		const limits = new Set([turn, ...calls.counts.values()].map(({ limit }) => limit));
		const bounds = [...limits].filter((limit) => limit >= turn.limit);
		return Math.max(...bounds.map((bound) => this.delayWithin(bound)));
	}

	get isGivenUp(): boolean {
		return this.calls.backoff.isGivenUp;
	}

	begin(): (result: CallResult<unknown>) => void {
		const { calls, turn } = this;
		calls.begin(turn);
		const learn = calls.backoff.begin();
		return (result) => {
			calls.end(turn, this.clock.now());
			learn(result);
		};
	}

	/** Milliseconds until the call would keep to this limit. */
	private delayWithin(bound: number): number {
		const counted = [...this.calls.counts.values()].filter(({ limit }) => limit <= bound);
		const sumOf = (counts: typeof counted) => counts.reduce((sum, { count }) => sum + count, 0);
		const own = counted.filter(({ execution }) => execution === this.turn.execution);
		const reserve = Math.floor(bound * RESERVE);
		const allowed = sumOf(own) >= reserve ? bound - reserve : bound;
		const tooMany = sumOf(counted) - allowed + 1;
		if (tooMany <= 0) return 0;
		const ended = this.calls.ended.filter(({ limit }) => limit <= bound);
		const isEnough = tooMany <= ended.length;
		return isEnough ? ended[tooMany - 1].at + WINDOW - this.clock.now() : LOOK_AGAIN;
	}
}

/** The pace of all teams, which all executions of a process share. */
export class Pacers {
	private readonly teams = new Map<string, TeamCalls>();
	private readonly clock: Clock;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** The pace of a call of a team. */
	of(team: string, turn: Turn): Pace {
		const calls = this.teams.get(team) ?? new TeamCalls(this.clock);
		this.teams.set(team, calls);
		return new Pacer(this.clock, calls, turn);
	}
}
