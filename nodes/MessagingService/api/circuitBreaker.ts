import { type Answer, noResponse, type Repeat } from './request';
import { isFailure, MAX_DELAY, outcomeOfAnswer } from './retry';
import { type Clock, MINUTE_MS } from './time';

/**
 * The most calls of a run under way at once, unless the user wants fewer; and the most that may have an unknown outcome
 * before a probe: so many have when a host takes every call and answers none.
 */
export const MAX_CALLS = 200;
/** Milliseconds from a call that failed to the next probe. */
const PROBE_INTERVAL = 10_000;
/** Milliseconds of nothing but failures after which no call is made any more; twice the timeout, where that is longer. */
const MAX_OUTAGE = 2 * MINUTE_MS;

/**
 * Holds back the calls of one run while none gets through, so that an outage leaves few of them unknown, and a run of
 * thousands of items ends after minutes, not after days. A call gets through when the service deals with it, also by a
 * refusal such as a 429.
 *
 * Those with an unknown outcome and those under way are 200 at most. Then, if calls got through before, only a probe goes
 * out now and then; one that gets through lets all go on. No call is made any more if none got through before, or when
 * calls have failed for two minutes. A call that may be made twice leaves nothing that has to be looked at, so only the
 * time counts for it.
 */
export class CircuitBreaker {
	private readonly clock: Clock;
	private hasGotThrough = false;
	/** How many calls have an unknown outcome since the last one that got through. */
	private unknown = 0;
	/** When the latest call failed, if none has got through since. */
	private failedAt?: number;
	/** Milliseconds for which calls have failed. Of a pause between them, as a service asks for, only a part counts. */
	private outage = 0;
	/** The latest failure, in the words of the HTTP client. */
	private latestFailure = '';
	/** The longest time that a call of this run may take. */
	private longestTimeout = 0;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** Whether another call may begin beside those under way. */
	allows(underWay: number): boolean {
		if (underWay + this.unknown < MAX_CALLS) return true;
		const isTime = this.clock.now() >= (this.failedAt ?? 0) + PROBE_INTERVAL;
		// A probe.
		return underWay === 0 && this.hasGotThrough && isTime;
	}

	/** Whether no call is made any more. */
	get isOpen(): boolean {
		if (!this.hasGotThrough && this.unknown >= MAX_CALLS) return true;
		return this.outage >= Math.max(MAX_OUTAGE, 2 * this.longestTimeout);
	}

	/** The answer to a call that is not made any more. */
	get refusal(): Answer {
		return noResponse('outage', this.latestFailure);
	}

	/** Makes a call, unless none is made any more, and learns from it whether calls get through. */
	async call(repeat: Repeat, timeout: number, send: () => Promise<Answer>): Promise<Answer> {
		if (this.isOpen) return this.refusal;
		this.longestTimeout = Math.max(this.longestTimeout, timeout);
		const began = this.clock.now();
		const answer = await send();
		if (isFailure(answer)) {
			this.noteFailure(answer, began);
			if (repeat === 'ifRefused' && outcomeOfAnswer(repeat, answer) === 'unknown') this.unknown++;
		} else {
			this.hasGotThrough = true;
			this.unknown = 0;
			this.failedAt = undefined;
			this.outage = 0;
		}
		return answer;
	}

	private noteFailure(answer: Answer, began: number): void {
		const now = this.clock.now();
		const sinceLatest = now - (this.failedAt ?? began);
		this.outage += Math.min(sinceLatest, Math.max(now - began, MAX_DELAY));
		this.failedAt = now;
		this.latestFailure =
			answer.kind === 'noResponse' ? answer.detail || answer.reason : `status ${answer.status}`;
	}
}
