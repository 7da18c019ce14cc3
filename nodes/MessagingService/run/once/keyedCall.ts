import type { Outcome } from '../../api/request';
import type { Unsent } from '../../resources/operation';

/** A call that is made once, as long as its key is remembered. */
export interface KeyedCall {
	/** Its idempotency key, in all runs of the node. */
	key: string;
	/** Whether to make it whatever became of it in earlier runs. */
	forget: boolean;
	/** Whether to make it although its outcome in an earlier run is unknown. */
	resend: boolean;
	/** Makes the call. Never rejects. */
	send(): Promise<Outcome>;
}

/** What the ledger answers for a call. */
export type LedgerOutcome = Outcome | Unsent;
