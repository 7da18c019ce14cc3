import { type Answer, noResponse } from './request';
import { type Clock, MINUTE_MS } from './time';

/**
 * The most calls of a run under way at once, unless the user wants fewer; and the most without an answer, since so many
 * are in doubt when a host takes every call and answers none.
 */
export const MAX_CALLS = 200;
/** Milliseconds without any answer after which nothing more is sent; twice the timeout, where that is longer. */
const MAX_SILENCE = 2 * MINUTE_MS;
const CHECK_INTERVAL = 1_000;

/**
 * The calls of one run: how many are under way at once, and whether the service answers any of them. A call that waits
 * for another try has no place here meanwhile.
 *
 * A call that timed out keeps its place until the service answers another one. When nothing has been answered for two
 * minutes, no call is made any more: in an outage, a run of thousands of items ends after minutes, not after days.
 */
export class CallLimit {
	private readonly clock: Clock;
	private readonly signal?: AbortSignal;
	private readonly max: number;
	/** Those who wait for a place, in their order. */
	private readonly waiting: Array<() => void> = [];
	private isWatching = false;
	private underWay = 0;
	/** How many calls have timed out since the last answer. */
	private unanswered = 0;
	/** When the first call began that was made since the last answer. */
	private silentSince?: number;
	/** What the latest failure was, in the words of the HTTP client. */
	private latestFailure = '';
	/** The longest time that a call of this run may take. */
	private longestTimeout = 0;

	/** @param signal ends all waiting when it aborts */
	constructor(clock: Clock, signal?: AbortSignal, max = MAX_CALLS) {
		this.clock = clock;
		this.signal = signal;
		this.max = max;
	}

	/**
	 * Does what ends in a call, as soon as there is a place for it.
	 *
	 * @returns Its answer. It is not done, and a failure is returned, when the service is silent.
	 */
	async withPlace(work: () => Promise<Answer>): Promise<Answer> {
		await this.enter();
		try {
			return this.isSilent ? this.silence : await work();
		} finally {
			void this.leave();
		}
	}

	/** Makes the call itself, unless the service is silent by now, and learns from it whether the service answers. */
	async call(timeout: number, send: () => Promise<Answer>): Promise<Answer> {
		if (this.isSilent) return this.silence;
		this.silentSince ??= this.clock.now();
		this.longestTimeout = Math.max(this.longestTimeout, timeout);
		const answer = await send();
		if (answer.kind !== 'noResponse' || answer.reason === 'tooLarge') {
			this.silentSince = undefined;
			this.unanswered = 0;
			return answer;
		}
		this.latestFailure = answer.detail || answer.reason;
		if (answer.reason === 'timeout') this.unanswered++;
		return answer;
	}

	/** Notes that the service has asked others of the team to wait: until then, silence says nothing. */
	noteAnswered(until: number): void {
		if (this.silentSince !== undefined) this.silentSince = Math.max(this.silentSince, until);
	}

	private async enter(): Promise<void> {
		await new Promise<void>((begin) => {
			this.waiting.push(begin);
			this.letIn();
			if (!this.isWatching) void this.watch();
		});
	}

	/** Gives the place to the next one; not at once, since the answer may be a failure that ends the run. */
	private async leave(): Promise<void> {
		await this.clock.wait(0);
		this.underWay--;
		this.letIn();
	}

	/** While somebody waits: lets all of them go when the run has ended or the service is silent. */
	private async watch(): Promise<void> {
		this.isWatching = true;
		while (this.waiting.length > 0) {
			await this.clock.wait(CHECK_INTERVAL, this.signal);
			this.letIn();
		}
		this.isWatching = false;
	}

	private letIn(): void {
		while (this.waiting.length > 0 && (this.hasPlace || this.isSilent || this.signal?.aborted)) {
			this.underWay++;
			this.waiting.shift()?.();
		}
	}

	private get hasPlace(): boolean {
		return this.underWay < this.max && this.underWay + this.unanswered < MAX_CALLS;
	}

	private get silence(): Answer {
		return noResponse('silent', this.latestFailure);
	}

	private get isSilent(): boolean {
		if (this.silentSince === undefined) return false;
		const silence = this.clock.now() - this.silentSince;
		return silence >= Math.max(MAX_SILENCE, 2 * this.longestTimeout);
	}
}
