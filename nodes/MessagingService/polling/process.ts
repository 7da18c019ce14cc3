import { BoundedMap } from '../api/boundedMap';
import type { Clock } from '../api/time';
import { systemClock } from '../n8n/clock';
import type { PollMemory, Started } from './memory';

/** More triggers than this in one process lose what only the process knows, which costs longer readings. */
const MAX_TRIGGERS = 1_000;

/** A polling trigger as a process of n8n knows it, beside what n8n stores. */
export interface PolledTrigger {
	/** Whether a poll is under way. */
	isUnderWay?: boolean;
	/**
	 * What the latest poll that started nothing has left: n8n stores it only when a poll starts the workflow. A poll that
	 * starts it leaves nothing here, since n8n may drop what it gave.
	 */
	memory?: PollMemory;
	started?: Started;
	/** The longest span that the next poll reads at once, in milliseconds, after one that could not be read in time. */
	longest?: number;
}

/** What all polling triggers share, in one process of n8n. */
export class PollingState {
	readonly clock: Clock;
	private readonly triggers = new BoundedMap<string, PolledTrigger>(MAX_TRIGGERS);

	constructor(clock: Clock = systemClock) {
		this.clock = clock;
	}

	/**
	 * Does the work of a poll, unless another poll of the trigger is under way: two would find the same messages.
	 *
	 * @param name the trigger's workflow and node
	 * @returns What the work gives; undefined if it was not done.
	 */
	async alone<Result>(
		name: string,
		work: (trigger: PolledTrigger) => Promise<Result>,
	): Promise<Result | undefined> {
		const trigger = this.triggers.get(name) ?? {};
		if (trigger.isUnderWay) return undefined;
		this.triggers.set(name, trigger);
		trigger.isUnderWay = true;
		try {
			return await work(trigger);
		} finally {
			trigger.isUnderWay = false;
		}
	}
}
