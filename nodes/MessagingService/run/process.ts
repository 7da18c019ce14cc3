import { MAX_CALLS } from '../api/callQueue';
import { Pacers } from '../api/pacer';
import type { Clock } from '../api/time';
import { systemClock } from '../n8n/clock';
import { SharedKeys } from '../once/claims';

/** What all runs of the action node share, in one process of n8n. */
export class ProcessState {
	readonly clock: Clock;
	readonly pacers: Pacers;
	readonly keys: SharedKeys;
	/** The most calls of a run under way at once. */
	readonly maxCalls: number;

	constructor({
		clock = systemClock,
		pacers = new Pacers(clock),
		keys = new SharedKeys(),
		maxCalls = MAX_CALLS,
	}: Partial<ProcessState> = {}) {
		this.clock = clock;
		this.pacers = pacers;
		this.keys = keys;
		this.maxCalls = maxCalls;
	}
}
