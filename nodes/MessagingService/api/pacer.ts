import { LOOK_AGAIN, RateLimit } from './rateLimit';
import type { CallResult } from './request';
import type { Clock } from './time';

/** Who makes a call, and under which limit. */
export interface Turn {
	/** The most calls in any window of 60 seconds. */
	limit: number;
	/** The execution that makes the call. */
	execution: string;
}

/** What decides when a call may begin. */
export interface Pace {
	/** Milliseconds until the call may begin, as far as can be told now. */
	readonly delay: number;
	/** Whether there is no point in waiting any longer. */
	readonly isGivenUp: boolean;
	/** Notes that the call begins. The returned function takes its result when it ends, or none if it was not sent. */
	begin(): (result?: CallResult<unknown>) => void;
}

/** The part of a limit that an execution leaves to others, once it has made that many calls itself. */
const RESERVE = 0.05;

// 60 seconds, and a little more for the resolution of clocks and timers.
const WINDOW = 60_100;

/**
 * Paces the webhook calls of one team in this process.
 *
 * The service counts a call at an unknown moment between its beginning and its end. So a call begins only when fewer
 * than `limit` calls are under way or ended within the last 60 seconds: then no window of 60 seconds, wherever it starts,
 * contains more than `limit`, however long calls are on their way.
 *
 * Executions may have different limits. Each limit counts the calls under it or under a lower one. An execution that has
 * made 5 % of a limit leaves the last 5 % to others, so that a single call need not wait for a long run.
 */
class Pacer {
	private readonly clock: Clock;
	private readonly rateLimit: RateLimit;
	private readonly underWay = new Set<Turn>();
	/** Calls that have ended, as long as they count, in the order of their ends. */
	private ended: Array<Turn & { at: number }> = [];

	constructor(clock: Clock) {
		this.clock = clock;
		this.rateLimit = new RateLimit(clock);
	}

	/** Milliseconds until a call may begin, as far as can be told now. */
	delayOf(turn: Turn): number {
		const pause = this.rateLimit.delay;
		if (pause > 0) return pause;
		const horizon = this.clock.now() - WINDOW;
		this.ended = this.ended.filter(({ at }) => at > horizon);
		const limits = new Set([turn, ...this.underWay, ...this.ended].map(({ limit }) => limit));
		const bounds = [...limits].filter((limit) => limit >= turn.limit);
		return Math.max(...bounds.map((bound) => this.delayWithin(bound, turn.execution)));
	}

	get isGivenUp(): boolean {
		return this.rateLimit.isGivenUp;
	}

	begin(turn: Turn): (result?: CallResult<unknown>) => void {
		// Two calls may have the same turn, so each is an object of its own.
		const call = { ...turn };
		this.underWay.add(call);
		const learn = this.rateLimit.begin();
		return (result) => {
			this.underWay.delete(call);
			if (result) this.ended.push({ ...call, at: this.clock.now() });
			learn(result);
		};
	}

	/** Milliseconds until a call of this execution would keep to this limit. */
	private delayWithin(bound: number, execution: string): number {
		const ended = this.ended.filter(({ limit }) => limit <= bound);
		const underWay = [...this.underWay].filter(({ limit }) => limit <= bound);
		const own = [...ended, ...underWay].filter((call) => call.execution === execution).length;
		const reserve = Math.floor(bound * RESERVE);
		const allowed = own >= reserve ? bound - reserve : bound;
		const tooMany = underWay.length + ended.length - allowed + 1;
		if (tooMany <= 0) return 0;
		const isEnough = tooMany <= ended.length;
		return isEnough ? ended[tooMany - 1].at + WINDOW - this.clock.now() : LOOK_AGAIN;
	}
}

/** The pace of all teams, which all executions of a process share. */
export class Pacers {
	private readonly byTeam = new Map<string, Pacer>();
	private readonly clock: Clock;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** The pace of a call of a team. */
	of(team: string, turn: Turn): Pace {
		const pacer = this.byTeam.get(team) ?? new Pacer(this.clock);
		this.byTeam.set(team, pacer);
		return {
			get delay() {
				return pacer.delayOf(turn);
			},
			get isGivenUp() {
				return pacer.isGivenUp;
			},
			begin: () => pacer.begin(turn),
		};
	}
}
