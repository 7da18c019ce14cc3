import { type Answer, type CallResult, type NoResponse, noResponse, type Repeat } from './request';
import { isRateLimited, outcomeOfAnswer } from './retry';
import { type Clock, MINUTE_MS } from './time';

/**
 * The most calls of a run under way at once; and the most that may have an unknown outcome before a probe: so many have
 * when a host takes every call and answers none.
 */
export const MAX_CALLS = 100;
/** Milliseconds from a call that failed to the next probe. */
const PROBE_INTERVAL = 10_000;
/** Milliseconds of nothing but failures after which no call is made any more. */
const MAX_OUTAGE = 2 * MINUTE_MS;
const CHECK_INTERVAL = 1_000;

/** Makes a call as soon as its turn has come. */
type Pace<Content> = (call: () => Promise<CallResult<Content>>) => Promise<CallResult<Content>>;

/**
 * Lets the calls of one run through: so many at once, and hardly any while none gets through, so that an outage leaves
 * few of them unknown, and a run of thousands of items ends after minutes, not after days. A call gets through when the
 * service deals with it, also by a refusal. A 429 may come from in front of the service, so it says nothing.
 *
 * Calls under way and those with an unknown outcome are 100 at most. Then only a probe goes out now and then, until one
 * gets through. When calls have failed for two minutes, none is made any more. A read leaves nothing unknown, so only
 * the time counts for it.
 */
export class CallGate {
	private readonly clock: Clock;
	private readonly signal?: AbortSignal;
	private readonly max: number;
	/** Those who wait for their call to begin, in their order. */
	private readonly waiting: Array<() => void> = [];
	private isWatching = false;
	private underWay = 0;
	/** How many calls have an unknown outcome since the last one that got through. */
	private unknown = 0;
	/** When the first and the latest call failed since the last one that got through. */
	private failing?: { since: number; latest: number };
	/** What every call gets once no call is made any more. */
	private refusal?: NoResponse;

	/** @param signal ends all waiting when it aborts */
	constructor(clock: Clock, signal?: AbortSignal, max = MAX_CALLS) {
		this.clock = clock;
		this.signal = signal;
		this.max = max;
	}

	/**
	 * Makes a call as soon as there is room for it, and its turn has come.
	 *
	 * @param repeat when its request may be sent again
	 * @returns What came of it. It is not made, and a failure is returned, when the run has ended, or no call is made any more.
	 */
	async call<Content>(
		repeat: Repeat,
		pace: Pace<Content>,
		send: () => Promise<CallResult<Content>>,
	): Promise<CallResult<Content>> {
		const sendUnlessClosed = async () => {
			if (this.refusal) return this.refusal;
			const result = await send();
			this.learnFrom(result, repeat);
			return result;
		};
		await this.enter();
		try {
			if (this.signal?.aborted) return noResponse('cancelled');
			// What is not sent takes no turn from others.
			return this.refusal ?? (await pace(sendUnlessClosed));
		} finally {
			void this.leave();
		}
	}

	private async enter(): Promise<void> {
		await new Promise<void>((begin) => {
			this.waiting.push(begin);
			this.letIn();
			if (!this.isWatching) void this.watch();
		});
	}

	/** Makes room for the next one; not at once, since the answer may be a failure that ends the run. */
	private async leave(): Promise<void> {
		await this.clock.wait(0);
		this.underWay--;
		this.letIn();
	}

	/** While somebody waits: looks whether there is room, or nothing to wait for any more. */
	private async watch(): Promise<void> {
		this.isWatching = true;
		while (this.waiting.length > 0) {
			await this.clock.wait(CHECK_INTERVAL, this.signal);
			this.letIn();
		}
		this.isWatching = false;
	}

	private letIn(): void {
		// When nothing is to be waited for, each call refuses by itself.
		while (this.waiting.length > 0 && (this.hasRoom || this.refusal || this.signal?.aborted)) {
			this.underWay++;
			this.waiting.shift()?.();
		}
	}

	private get hasRoom(): boolean {
		if (this.underWay >= this.max) return false;
		if (this.underWay + this.unknown < MAX_CALLS) return true;
		// A probe.
		const failedAt = this.failing?.latest ?? 0;
		return this.underWay === 0 && this.clock.now() >= failedAt + PROBE_INTERVAL;
	}

	private learnFrom(result: CallResult<unknown>, repeat: Repeat): void {
		// Of what is behind the limit, it says nothing.
		if (isRateLimited(result)) return;
		if (result.kind === 'success' || !isFailure(result)) {
			this.unknown = 0;
			this.failing = undefined;
			this.refusal = undefined;
			return;
		}
		if (outcomeOfAnswer(repeat, result) === 'unknown') this.unknown++;
		const now = this.clock.now();
		this.failing = { since: this.failing?.since ?? now, latest: now };
		if (now - this.failing.since >= MAX_OUTAGE) {
			const words =
				result.kind === 'noResponse' ? result.detail || result.reason : `status ${result.status}`;
			this.refusal = noResponse('outage', words);
		}
	}
}

/** Whether the service did not deal with a call: nothing came back, or nothing that says what became of a write. */
function isFailure(answer: Answer): boolean {
	return answer.kind === 'noResponse' || outcomeOfAnswer('ifRefused', answer) === 'unknown';
}
