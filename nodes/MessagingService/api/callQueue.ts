import { Breaker } from './breaker';
import { type Pace, RateLimit } from './pacer';
import { type CallResult, type NoResponse, noResponse, type Repeat } from './request';
import { isRateLimited } from './retry';
import type { Clock } from './time';

/** The most calls of a run under way at once. */
export const MAX_CALLS = 100;

/** A call, as the queue knows it. */
interface QueuedCall<Content> {
	pace: Pace;
	/** When its request may be sent again. */
	repeat: Repeat;
	send(): Promise<CallResult<Content>>;
}

/** What a call gets when its turn comes: what to tell its result, or why it is not made. */
type Turn = ReturnType<Pace['begin']> | NoResponse;

/**
 * Begins the calls of one run in order, as soon as there is room for them, and both the breaker and their pace allow it.
 * All of this is checked at the moment when a call begins, so a call that is never made takes no turn from others. The
 * waiting calls share one timer and one listener.
 */
export class CallQueue {
	/** Aborts when no more calls begin, because the run has ended or no call gets through. */
	readonly signal: AbortSignal;
	/** The pace of calls for which no limit is known. */
	readonly rateLimit: RateLimit;
	private readonly clock: Clock;
	private readonly breaker: Breaker;
	private readonly max: number;
	/** The waiting calls, in the order in which they came. */
	private readonly waiting: Array<{ pace: Pace; resolve(turn: Turn): void }> = [];
	private underWay = 0;
	/** The clock time of the next look; Infinity when none is due. */
	private nextLook = Infinity;

	/**
	 * @param signal ends the run when it aborts
	 * @param max the most calls under way at once
	 */
	constructor(clock: Clock, signal?: AbortSignal, max = MAX_CALLS) {
		this.clock = clock;
		this.max = max;
		this.rateLimit = new RateLimit(clock);
		this.breaker = new Breaker(clock);
		const ends = [this.breaker.signal];
		this.signal = AbortSignal.any(signal ? [signal, ...ends] : ends);
		this.signal.addEventListener('abort', () => this.letIn(), { once: true });
	}

	/**
	 * Makes a call as soon as it may begin.
	 *
	 * @returns Its result; if it was not made, a failure that says why.
	 */
	async call<Content>({ pace, repeat, send }: QueuedCall<Content>): Promise<CallResult<Content>> {
		const turn = await new Promise<Turn>((resolve) => {
			this.waiting.push({ pace, resolve });
			this.letIn();
		});
		if (typeof turn !== 'function') return turn;
		const beganAt = this.clock.now();
		// A call that throws must not keep its place for ever.
		let result: CallResult<Content> = noResponse('broken');
		try {
			result = await send();
			return result;
		} finally {
			turn(result);
			const pause = isRateLimited(result) ? pace.delay : 0;
			if (!this.signal.aborted) this.breaker.learn(result, { repeat, beganAt, pause });
			void this.leave();
		}
	}

	/** Makes room for the next call, after a moment in which a failure of this one can end the run. */
	private async leave(): Promise<void> {
		await this.clock.wait(0);
		this.underWay--;
		this.letIn();
	}

	private letIn(): void {
		const { breaker, signal } = this;
		for (let [next] = this.waiting; next; [next] = this.waiting) {
			const { pace, resolve } = next;
			// The breaker may abort the signal just now.
			const hold = signal.aborted ? 0 : breaker.delay(this.underWay);
			const delay = this.underWay < this.max ? Math.max(hold, pace.delay) : Infinity;
			if (signal.aborted) resolve(breaker.verdict ?? noResponse('cancelled'));
			else if (pace.isGivenUp) resolve(noResponse('stalled'));
			else if (delay > 0) return this.lookIn(Math.min(delay, breaker.untilVerdict));
			else {
				this.underWay++;
				resolve(pace.begin());
			}
			this.waiting.shift();
		}
	}

	/** Looks again after the delay in milliseconds, unless an earlier look is due. */
	private lookIn(delay: number): void {
		const moment = this.clock.now() + delay;
		if (moment >= this.nextLook) return;
		this.nextLook = moment;
		void this.clock.wait(delay, this.signal).then(() => {
			if (this.nextLook === moment) this.nextLook = Infinity;
			this.letIn();
		});
	}
}
