import { Breaker } from './breaker';
import { Backoff, type Pace } from './pacer';
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
	/** The clock time before which it has to begin, if there is one. */
	deadline?: number;
	send(): Promise<CallResult<Content>>;
}

/** What a waiting call gets: the function that takes its result, or why it is not made; undefined if it would be too late. */
type Admission = ReturnType<Pace['begin']> | NoResponse | undefined;

/** A call that waits. */
interface WaitingCall extends Required<Pick<QueuedCall<unknown>, 'pace' | 'deadline'>> {
	resolve(admission: Admission): void;
}

/**
 * Begins the calls of one run in order, as soon as there is room for them, and both the breaker and their pace allow it.
 * All of this is checked at the moment when a call begins, so a call that is never made takes no turn from others. The
 * waiting calls share one timer and one listener.
 */
export class CallQueue {
	/** Aborts when no more calls begin, because the run has ended or no call gets through. */
	readonly signal: AbortSignal;
	/** The pace of calls for which no limit is known. */
	readonly backoff: Backoff;
	private readonly clock: Clock;
	private readonly breaker: Breaker;
	private readonly max: number;
	/** The waiting calls, in the order in which they came. */
	private readonly waiting: WaitingCall[] = [];
	private underWay = 0;
	private readonly ending = new AbortController();
	/** What a call gets that does not begin because the run has ended. */
	private refusal = noResponse('cancelled');
	/** The clock time of the next look; Infinity when none is due. */
	private nextLook = Infinity;

	/**
	 * @param signal ends the run when it aborts
	 * @param max the most calls under way at once
	 */
	constructor(clock: Clock, signal?: AbortSignal, max = MAX_CALLS) {
		this.clock = clock;
		this.max = max;
		this.backoff = new Backoff(clock);
		this.breaker = new Breaker(clock);
		const ends = signal ? [signal, this.ending.signal] : [this.ending.signal];
		this.signal = AbortSignal.any(ends);
		this.signal.addEventListener('abort', () => this.letIn(), { once: true });
	}

	/**
	 * Makes a call as soon as it may begin.
	 *
	 * @returns Its result; if it was not made, a failure that says why, or undefined as soon as it is clear that it cannot
	 *   begin before its deadline.
	 */
	async call<Content>({
		pace,
		repeat,
		deadline = Infinity,
		send,
	}: QueuedCall<Content>): Promise<CallResult<Content> | undefined> {
		if (this.clock.now() + pace.delay >= deadline) return undefined;
		const admission = await new Promise<Admission>((resolve) => {
			this.waiting.push({ pace, deadline, resolve });
			this.letIn();
		});
		if (typeof admission !== 'function') return admission;
		const beganAt = this.clock.now();
		// A call that throws must not keep its place for ever.
		let result: CallResult<Content> = noResponse('broken');
		try {
			result = await send();
			return result;
		} finally {
			admission(result);
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
		if (breaker.verdict && !signal.aborted) {
			this.refusal = breaker.verdict;
			this.ending.abort();
		}
		for (let [next] = this.waiting; next; [next] = this.waiting) {
			const { pace, deadline, resolve } = next;
			const isFull = this.underWay >= this.max;
			const delay = isFull ? Infinity : Math.max(breaker.delay(this.underWay), pace.delay);
			const left = deadline - this.clock.now();
			if (signal.aborted) resolve(this.refusal);
			else if (pace.isGivenUp) resolve(noResponse('stalled'));
			else if (left <= 0 || (delay >= left && delay < Infinity)) resolve(undefined);
			else if (delay > 0) return this.lookIn(Math.min(delay, left, breaker.untilVerdict));
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
