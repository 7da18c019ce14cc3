import { isInterruption, type Outcome, type Response } from './outcome';

const INITIAL_WINDOW = 32;
const SMALLEST_WINDOW = 1;
/** Responses that take so many times the shortest round trip mean that requests queue up somewhere. */
const QUEUEING = 2;
/** Milliseconds that a round trip may take longer all the same, since timers and event loops are coarse. */
const TOLERANCE = 20;
/** After a loss the window stays below the size at which it occurred, apart from an occasional probe. */
const KEPT_BELOW_LOSS = 0.9;
/** Responses without a loss after which the window may grow beyond the last one. */
const RESPONSES_BEFORE_PROBE = 1_000;

/**
 * The congestion window of a run: how many of its requests may be under way at once. As in TCP, it begins with a slow
 * start, which doubles it with each round trip, and is halved on a loss: a server error, a 429, a timeout, a failed
 * connection. After that it grows by about one per round trip (congestion avoidance). It stops growing while latency
 * rises.
 */
export class CongestionWindow {
	private window = INITIAL_WINDOW;
	/** Up to here the window doubles. */
	private threshold = Infinity;
	/** Where the last loss was; the window keeps below it for a while. */
	private ceiling = Infinity;
	private responsesSinceLoss = 0;
	private underWay = 0;
	private shortest = Infinity;
	/** Losses of requests that began earlier belong to the one that was answered already. */
	private recoveredAt = -Infinity;
	private readonly now: () => number;

	constructor(now: () => number) {
		this.now = now;
	}

	/** How many requests may be under way. */
	get size(): number {
		return Math.floor(this.window);
	}

	/** Notes that a request goes out. What it returns is to be called when the request has ended. */
	begin(): (outcome: Outcome) => void {
		const begun = this.now();
		this.underWay++;
		return (outcome) => {
			if (isLoss(outcome)) this.shrink(begun);
			else if (outcome.kind === 'response') this.grow(outcome, this.now() - begun);
			this.underWay--;
		};
	}

	private grow({ status }: Response, roundTrip: number): void {
		// A refusal may be quicker than what the service does for a success.
		if (status < 300) this.shortest = Math.min(this.shortest, roundTrip);
		this.responsesSinceLoss++;
		if (this.responsesSinceLoss > RESPONSES_BEFORE_PROBE) this.ceiling = Infinity;
		const isQueueing = roundTrip > QUEUEING * this.shortest + TOLERANCE;
		// A window that is not made use of says nothing of what the service can take.
		if (isQueueing || this.underWay < this.window / 2) return;
		const step = this.window < this.threshold ? 1 : 1 / this.window;
		this.window = Math.max(this.window, Math.min(this.window + step, this.ceiling));
	}

	private shrink(begun: number): void {
		if (begun < this.recoveredAt) return;
		this.recoveredAt = this.now();
		this.responsesSinceLoss = 0;
		const used = Math.min(this.window, this.underWay);
		this.ceiling = Math.max(KEPT_BELOW_LOSS * used, SMALLEST_WINDOW);
		this.threshold = Math.max(Math.floor(used / 2), SMALLEST_WINDOW);
		this.window = this.threshold;
	}
}

/** Whether the service, or the way to it, could not take the request. */
function isLoss(outcome: Outcome): boolean {
	return isInterruption(outcome) || (outcome.kind === 'failure' && outcome.reason === 'tooSlow');
}
