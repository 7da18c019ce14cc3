import type { Breaker } from './breaker';
import type { Pace } from './pacer';
import { isRateLimited } from './rateLimit';
import { type CallResult, type NoResponse, noResponse, type Repeat } from './request';
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

/** A call that waits for its turn. */
interface Waiting {
	pace: Pace;
	begin(end: ReturnType<Pace['begin']>): void;
	refuse(failure: NoResponse): void;
}

/** What a queue is made of. */
interface QueueParts {
	clock: Clock;
	breaker: Breaker;
	/** When it aborts, no more calls begin. If its reason is a failure, the waiting calls get that failure. */
	signal: AbortSignal;
	/** The most calls under way at once. */
	max?: number;
}

/**
 * Begins the calls of one run in order, as soon as there is room for them, and both the breaker and their pace allow it.
 * All of this is checked at the moment when a call begins, so a call that is never made takes no turn from others. The
 * waiting calls share one timer and one listener.
 */
export class CallQueue {
	private readonly parts: QueueParts;
	private readonly max: number;
	/** The waiting calls, in the order in which they came. */
	private readonly waiting: Waiting[] = [];
	private underWay = 0;
	/** The clock time of the next look; Infinity when none is due. */
	private nextLook = Infinity;

	constructor(parts: QueueParts) {
		this.parts = parts;
		this.max = parts.max ?? MAX_CALLS;
		parts.signal.addEventListener('abort', () => this.letIn(), { once: true });
	}

	/** Aborts when no more calls begin. */
	get signal(): AbortSignal {
		return this.parts.signal;
	}

	/**
	 * Makes a call as soon as it may begin.
	 *
	 * @returns Its result; if it was not made, a failure that says why.
	 */
	async call<Content>({ pace, repeat, send }: QueuedCall<Content>): Promise<CallResult<Content>> {
		const turn = await new Promise<NoResponse | ReturnType<Pace['begin']>>((resolve) => {
			this.waiting.push({ pace, begin: resolve, refuse: resolve });
			this.letIn();
		});
		if (typeof turn !== 'function') return turn;
		const { breaker, clock } = this.parts;
		const beganAt = clock.now();
		let result: CallResult<Content> | undefined;
		try {
			result = await send();
			return result;
		} finally {
			turn(result);
			const pause = result && isRateLimited(result) ? pace.delay : 0;
			if (result) breaker.learn(result, { repeat, beganAt, pause });
			void this.leave();
		}
	}

	/** Makes room for the next call, after a moment in which a failure of this one can end the run. */
	private async leave(): Promise<void> {
		await this.parts.clock.wait(0);
		this.underWay--;
		this.letIn();
	}

	private letIn(): void {
		const { breaker, signal } = this.parts;
		for (let [next] = this.waiting; next; [next] = this.waiting) {
			const hold = breaker.delay(this.underWay);
			const delay = this.underWay < this.max ? Math.max(hold, next.pace.delay) : Infinity;
			// The breaker may have aborted the signal just now.
			if (signal.aborted) next.refuse(failureOf(signal));
			else if (next.pace.isGivenUp) next.refuse(noResponse('stalled'));
			else if (delay > 0) return this.lookIn(Math.min(delay, breaker.untilVerdict));
			else {
				this.underWay++;
				next.begin(next.pace.begin());
			}
			this.waiting.shift();
		}
	}

	/** Looks again after the delay in milliseconds, unless an earlier look is due. */
	private lookIn(delay: number): void {
		const { clock, signal } = this.parts;
		const moment = clock.now() + delay;
		if (moment >= this.nextLook) return;
		this.nextLook = moment;
		void clock.wait(delay, signal).then(() => {
			if (this.nextLook === moment) this.nextLook = Infinity;
			this.letIn();
		});
	}
}

/** The failure of a call that is not made because a signal has aborted. */
function failureOf({ reason }: AbortSignal): NoResponse {
	return isNoResponse(reason) ? reason : noResponse('cancelled');
}

function isNoResponse(reason: unknown): reason is NoResponse {
	return (
		typeof reason === 'object' &&
		reason !== null &&
		'kind' in reason &&
		reason.kind === 'noResponse'
	);
}
