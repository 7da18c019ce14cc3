import type { IExecuteFunctions } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import type { Traffic } from '../api/traffic';
import { systemClock } from '../systemClock';

const INTERVAL = 10_000;
const WORTH_A_NOTE = 1_000;

/** Tells about a run that takes long: in n8n's log while it runs, and on the node when it has finished. */
export class Progress {
	private readonly context: IExecuteFunctions;
	private readonly traffic: Traffic;
	private readonly total: number;
	private readonly clock: Clock;
	private readonly began: number;
	private readonly finished = new AbortController();
	private done = 0;

	constructor(
		context: IExecuteFunctions,
		traffic: Traffic,
		total: number,
		clock: Clock = systemClock,
	) {
		this.context = context;
		this.traffic = traffic;
		this.total = total;
		this.clock = clock;
		this.began = clock.now();
		void this.logNowAndThen();
	}

	itemDone(): void {
		this.done++;
	}

	/** The run is over. Shows how it went, if it had to wait. */
	finish(): void {
		this.finished.abort();
		const { sent, accepted, rateLimited, waited } = this.traffic;
		if (waited < WORTH_A_NOTE) return;
		const refused = rateLimited > 0 ? ` The service said ${rateLimited} times to slow down.` : '';
		this.context.addExecutionHints({
			message: `${accepted} of ${sent} requests succeeded in ${seconds(this.elapsed)}; for ${seconds(waited)} of it, requests waited for the rate limit.${refused}`,
			type: 'info',
			location: 'outputPane',
		});
	}

	private get elapsed(): number {
		return this.clock.now() - this.began;
	}

	private async logNowAndThen(): Promise<void> {
		const { signal } = this.finished;
		for (;;) {
			await this.clock.wait(INTERVAL, signal);
			if (signal.aborted) return;
			const { sent, accepted, isWaiting } = this.traffic;
			const left =
				this.done > 0 ? (this.elapsed / this.done) * (this.total - this.done) : undefined;
			this.context.logger.info(
				[
					`${this.done} of ${this.total} items done in ${seconds(this.elapsed)}`,
					`${sent} requests sent, ${accepted} accepted`,
					...(isWaiting ? ['waiting for the rate limit'] : []),
					...(left === undefined ? [] : [`about ${seconds(left)} left`]),
				].join(', '),
				{ node: this.context.getNode().name, workflowId: this.context.getWorkflow().id },
			);
		}
	}
}

function seconds(milliseconds: number): string {
	return `${Math.round(milliseconds / 1_000)} s`;
}
