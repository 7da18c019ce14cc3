import { BoundedMap } from '../api/boundedMap';
import type { Clock } from '../api/time';
import { systemClock } from '../n8n/clock';
import type { PollMemory } from './memory';

/** More triggers than this in one process lose what only the process knows, which costs longer readings. */
const MAX_TRIGGERS = 1_000;

/** What a process of n8n knows of a polling trigger, beside what n8n stores. */
export interface TriggerState {
	/** Whether a poll is under way: two would find the same messages. */
	isUnderWay?: boolean;
	/**
	 * What the latest poll that started nothing has left: n8n stores it only when a poll starts the workflow. A poll that
	 * starts it leaves nothing here, since n8n may drop what it gave.
	 */
	memory?: PollMemory;
	/** The longest span that the next poll reads at once, in milliseconds, after one that could not be read in time. */
	longest?: number;
}

/** What all polling triggers share, in one process of n8n. */
export class PollingState {
	readonly clock: Clock;
	private readonly triggers = new BoundedMap<string, TriggerState>(MAX_TRIGGERS);

	constructor(clock: Clock = systemClock) {
		this.clock = clock;
	}

	/** What is known of a trigger. @param name its workflow and its node */
	of(name: string): TriggerState {
		const state = this.triggers.get(name) ?? {};
		this.triggers.set(name, state);
		return state;
	}
}
