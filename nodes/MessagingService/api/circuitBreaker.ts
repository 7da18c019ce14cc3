import { type Answer, noResponse } from './request';
import { isLost } from './retry';
import { type Clock, MINUTE_MS } from './time';

/**
 * The most calls of a run under way at once, unless the user wants fewer; and the most that are lost before a probe, since
 * so many are in doubt when a host takes every call and answers none.
 */
export const MAX_CALLS = 200;
/** Milliseconds from a call that got lost to the next probe. */
const PROBE_INTERVAL = 10_000;
/** Milliseconds without any answer after which nothing more is sent; twice the timeout, where that is longer. */
const MAX_SILENCE = 2 * MINUTE_MS;

/**
 * Holds back the calls of one run from a service that does not answer, so that an outage leaves few of them in doubt, and
 * a run of thousands of items ends after minutes, not after days.
 *
 * While calls get lost, fewer may be under way: both together are 200 at most. After that, only a probe goes out now and
 * then, unless the service has never answered in this run. An answer lets all of them go on. When there was none for two
 * minutes, no call is made any more.
 */
export class CircuitBreaker {
	private readonly clock: Clock;
	private hasAnswered = false;
	/** How many calls got lost since the last answer. */
	private lost = 0;
	private nextProbeAt = 0;
	/** When the first call began that was made since the last answer. */
	private silentSince?: number;
	/** The latest failure, in the words of the HTTP client. */
	private latestFailure = '';
	/** The longest time that a call of this run may take. */
	private longestTimeout = 0;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** Whether another call may begin beside those under way. */
	allows(underWay: number): boolean {
		const isProbe = underWay === 0 && this.hasAnswered && this.clock.now() >= this.nextProbeAt;
		return isProbe || underWay + this.lost < MAX_CALLS;
	}

	/** Whether no call is made any more. */
	get isOpen(): boolean {
		if (this.silentSince === undefined) return false;
		const silence = this.clock.now() - this.silentSince;
		return silence >= Math.max(MAX_SILENCE, 2 * this.longestTimeout);
	}

	/** The answer to a call that is not made any more. */
	get refusal(): Answer {
		return noResponse('silent', this.latestFailure);
	}

	/** Makes a call, unless none is made any more, and learns from it whether the service answers. */
	async call(timeout: number, send: () => Promise<Answer>): Promise<Answer> {
		if (this.isOpen) return this.refusal;
		this.silentSince ??= this.clock.now();
		this.longestTimeout = Math.max(this.longestTimeout, timeout);
		const answer = await send();
		if (isLost(answer)) {
			this.lost++;
			this.nextProbeAt = this.clock.now() + PROBE_INTERVAL;
		}
		if (isLost(answer) || (answer.kind === 'noResponse' && answer.reason !== 'tooLarge')) {
			this.latestFailure =
				answer.kind === 'noResponse' ? answer.detail || answer.reason : `status ${answer.status}`;
		} else {
			this.hasAnswered = true;
			this.lost = 0;
			this.silentSince = undefined;
		}
		return answer;
	}

	/** Notes until when the service has asked the team to wait: until then, silence says nothing. */
	extendSilence(until: number): void {
		if (this.silentSince !== undefined) this.silentSince = Math.max(this.silentSince, until);
	}
}
