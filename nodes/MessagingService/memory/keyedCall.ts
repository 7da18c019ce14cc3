import type { Outcome } from '../api/request';

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

/** Why a call was not made. */
export type Unsent =
	/** It was accepted before. */
	| 'skipped'
	/** Its earlier outcome is unknown. */
	| 'uncertain';

/** What the ledger answers for a call. */
export type LedgerOutcome = Outcome | Unsent;
