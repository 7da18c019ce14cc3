import type { Answer } from '../answer.ts';
import type { BodyOf, OperationId, PathOf, QueryOf } from '../contract.ts';
import type { ReceivedRequest } from '../receiveLog.ts';
import type { Runtime } from '../runtime.ts';
import type { Team } from '../store.ts';

/** A valid request in the names and formats of the contract, whatever the dialect. */
export interface Call<Id extends OperationId> {
	query: QueryOf<Id>;
	path: PathOf<Id>;
	body: BodyOf<Id>;
	/** The active team. One-time passwords are verified without a key, so without a team. */
	team: Id extends 'oneTimePassword.verify' ? undefined : Team;
	/** As it came. */
	entry: ReceivedRequest;
}

/** Serves one operation. Validation, keys, limits and faults are not its business. */
export type Handler<Id extends OperationId> = (call: Call<Id>, runtime: Runtime) => Answer;
