import { type CircuitBreaker, MAX_CALLS } from './circuitBreaker';
import type { Answer } from './request';
import type { Clock } from './time';

const CHECK_INTERVAL = 1_000;

/**
 * How many calls of one run are under way at once. A call that waits for another try holds no permit meanwhile.
 */
export class CallLimit {
	private readonly breaker: CircuitBreaker;
	private readonly clock: Clock;
	private readonly signal?: AbortSignal;
	private readonly max: number;
	/** Those who wait for a permit, in their order. */
	private readonly waiting: Array<() => void> = [];
	private isWatching = false;
	private underWay = 0;

	/** @param signal ends all waiting when it aborts */
	constructor(clock: Clock, breaker: CircuitBreaker, signal?: AbortSignal, max = MAX_CALLS) {
		this.clock = clock;
		this.breaker = breaker;
		this.signal = signal;
		this.max = max;
	}

	/**
	 * Does what ends in a call, as soon as there is a permit for it.
	 *
	 * @returns Its answer. It is not done, and a failure is returned, when no call is made any more.
	 */
	async withPermit(work: () => Promise<Answer>): Promise<Answer> {
		await this.enter();
		try {
			return this.breaker.isOpen ? this.breaker.refusal : await work();
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

	/** Gives the permit to the next one; not at once, since the answer may be a failure that ends the run. */
	private async leave(): Promise<void> {
		await this.clock.wait(0);
		this.underWay--;
		this.letIn();
	}

	/** While somebody waits: looks whether there is a permit, or nothing to wait for any more. */
	private async watch(): Promise<void> {
		this.isWatching = true;
		while (this.waiting.length > 0) {
			await this.clock.wait(CHECK_INTERVAL, this.signal);
			this.letIn();
		}
		this.isWatching = false;
	}

	private letIn(): void {
		while (this.waiting.length > 0 && (this.hasPermit || this.isOver)) {
			this.underWay++;
			this.waiting.shift()?.();
		}
	}

	private get hasPermit(): boolean {
		return this.underWay < this.max && this.breaker.allows(this.underWay);
	}

	/** Whether nothing is to be waited for: each call refuses by itself. */
	private get isOver(): boolean {
		return this.breaker.isOpen || this.signal?.aborted === true;
	}
}
