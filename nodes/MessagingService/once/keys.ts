import { BoundedMap } from '../api/boundedMap';
import type { Outcome } from '../api/request';
import type { SendAgain, Unsent } from '../operations/operation';

/** A key that identifies a write in all runs of the node. */
export interface WriteKey {
	key: string;
	/** What to send again although it was sent in an earlier run, or may have been. */
	sendAgain: SendAgain;
}

/** What became of a key. */
export type KeyOutcome = Outcome | Unsent;

/** The most keys that a process remembers of executions that send again. */
const MAX_SENT_AGAIN = 50_000;

/** What the runs in one process of n8n tell each other about keys. */
export class SharedKeys {
	/** Keys that are under way, with a promise of what becomes of each. */
	readonly underWay = new Map<string, Promise<KeyOutcome>>();
	/** What became of keys that were sent again on purpose, by execution: each is sent again only once in an execution. */
	readonly sentAgain = new BoundedMap<string, KeyOutcome>(MAX_SENT_AGAIN);
	/** The last call on each row of n8n's store, for the next one to wait for: each call rewrites its row. */
	readonly lastCalls = new Map<string, Promise<unknown>>();
}
