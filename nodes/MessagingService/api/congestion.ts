import { isInterruption, type Outcome, type Response } from './outcome';

const INITIAL_WINDOW = 32;
const SMALLEST_WINDOW = 1;
/** Responses that take so many times the shortest round trip mean that requests queue up somewhere. */
const QUEUEING = 2;
/** Milliseconds that a round trip may take longer all the same, since timers and event loops are coarse. */
const TOLERANCE = 20;
/** A loss after so many responses without one comes by chance, and says nothing of the window. */
const STRAY_AFTER = 50;
/** After a loss the window stays below the size at which it occurred, apart from an occasional probe. */
const KEPT_BELOW_LOSS = 0.95;
/** Responses without a loss after which the window may grow beyond the last one. */
const RESPONSES_BEFORE_PROBE = 1_000;

/**
 * The congestion window of a run: how many of its requests may be under way at once. As in TCP, it begins with a slow
 * start, which doubles it with each round trip, until there are losses: server errors, 429s, timeouts, failed
 * connections. Each takes one off, at most half in a round trip. After that it grows by about one per round trip
 * (congestion avoidance). It stops growing while latency rises.
 */
export class CongestionWindow {
	private window = INITIAL_WINDOW;
	/** Up to here the window doubles. */
	private threshold = Infinity;
	/** Where the last losses were; the window keeps below it for a while. */
	private ceiling = Infinity;
	/** Half of what it was before them. */
	private floor = SMALLEST_WINDOW;
	private responsesSinceLoss = 0;
	private underWay = 0;
	private shortest = Infinity;
	/** Losses of requests that began before it belong to the same round trip as the first of them. */
	private firstLossAt = -Infinity;
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
		const isStray = this.responsesSinceLoss >= STRAY_AFTER;
		this.responsesSinceLoss = 0;
		if (begun >= this.firstLossAt) {
			if (isStray) return;
			this.firstLossAt = this.now();
			const used = Math.min(this.window, this.underWay);
			// A loss below the ceiling shows that there are losses at any size.
			const isRefuted = this.ceiling < Infinity && used <= this.ceiling;
			this.ceiling = isRefuted ? Infinity : Math.max(KEPT_BELOW_LOSS * used, SMALLEST_WINDOW);
			this.floor = Math.max(Math.floor(used / 2), SMALLEST_WINDOW);
			this.window = used;
		}
		this.window = Math.max(this.window - 1, this.floor);
		this.threshold = this.window;
	}
}

/** Whether the service, or the way to it, could not take the request. */
function isLoss(outcome: Outcome): boolean {
	return isInterruption(outcome) || (outcome.kind === 'failure' && outcome.reason === 'tooSlow');
}
