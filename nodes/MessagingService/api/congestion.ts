import type { Clock } from './time';
import type { Answer, ApiResponse } from './request';
import { isTemporary } from './retry';

const INITIAL_WINDOW = 64;
/** Responses that take this many times the shortest round trip mean that requests queue up somewhere. */
const QUEUEING = 2;
/** Milliseconds by which a round trip may be longer anyway, since timers and event loops are coarse. */
const TOLERANCE = 20;

/**
 * The congestion window of a run: how many of its requests may be under way at once. As in TCP, it doubles with each
 * round trip (slow start) until there are losses: server errors, 429s, timeouts, failed connections. A round trip with
 * losses halves it; from then on it grows by one per round trip. It stops growing while latency rises.
 */
export class CongestionWindow {
	private window = INITIAL_WINDOW;
	/** The window doubles with each round trip up to this size. */
	private threshold = Infinity;
	private underWay = 0;
	private shortest = Infinity;
	private lostAt = -Infinity;
	private readonly clock: Pick<Clock, 'now'>;

	constructor(clock: Pick<Clock, 'now'>) {
		this.clock = clock;
	}

	/** How many requests may be under way. */
	get size(): number {
		return Math.floor(this.window);
	}

	/** Notes that a request goes out, and returns a function to call with its answer. */
	begin(): (answer: Answer) => void {
		const begun = this.clock.now();
		this.underWay++;
		return (answer) => {
			if (isTemporary(answer)) this.shrink(begun);
			else if (answer.kind === 'response') this.grow(answer, this.clock.now() - begun);
			this.underWay--;
		};
	}

	private grow({ status }: ApiResponse, roundTrip: number): void {
		// Only successes count, since a refusal may be quicker than any of them.
		if (status < 300) this.shortest = Math.min(this.shortest, roundTrip);
		const isQueueing = roundTrip > QUEUEING * this.shortest + TOLERANCE;
		// A window that is not used up says nothing about what the service can take.
		if (isQueueing || this.underWay < this.window / 2) return;
		this.window += this.window < this.threshold ? 1 : 1 / this.window;
	}

	private shrink(begun: number): void {
		// Requests that went out before the last loss belong to the same round trip.
		if (begun < this.lostAt) return;
		this.lostAt = this.clock.now();
		this.window = Math.max(this.window / 2, 1);
		this.threshold = this.window;
	}
}
