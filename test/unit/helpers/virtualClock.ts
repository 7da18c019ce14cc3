import type { Clock } from '../../../nodes/MessagingService/api/time';

interface Timer {
	at: number;
	end(): void;
}

/**
 * A clock whose time passes only while everyone waits: it then jumps to the next moment somebody waits
 * for. Timers of the same moment fire in the order in which they were set.
 */
export class VirtualClock implements Clock {
	private readonly timers: Timer[] = [];
	private time: number;

	constructor(start = 1_000_000) {
		this.time = start;
	}

	now(): number {
		return this.time;
	}

	async wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
		if (signal?.aborted) return;
		await new Promise<void>((resolve) => {
			const timer: Timer = {
				at: this.time + Math.max(milliseconds, 0),
				end: () => {
					this.timers.splice(this.timers.indexOf(timer), 1);
					// A signal compares each new listener with all that it has.
					signal?.removeEventListener('abort', timer.end);
					resolve();
				},
			};
			this.timers.splice(this.timers.findLastIndex(({ at }) => at <= timer.at) + 1, 0, timer);
			signal?.addEventListener('abort', timer.end);
		});
	}

	/** Lets time pass until the work has ended; throws when it waits for something that never comes. */
	async run<Result>(work: Promise<Result>): Promise<Result> {
		let ended = false;
		const end = () => {
			ended = true;
		};
		work.then(end, end);
		for (await settle(); !ended; await settle()) {
			const [timer] = this.timers;
			if (!timer) throw new Error('The work has not ended, but waits for no moment in time');
			this.time = timer.at;
			timer.end();
		}
		return await work;
	}
}

/** Lets everything run that does not wait for the time. */
async function settle(): Promise<void> {
	await new Promise<void>((resolve) => {
		setImmediate(resolve);
	});
}
