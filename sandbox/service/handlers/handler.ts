import type { operations } from '../../../nodes/MessagingService/api/api.types.ts';
import type { Agent } from '../agent.ts';
import type { Answer } from '../answer.ts';
import type { OperationId } from '../contract.ts';
import type { Dialect } from '../settings.ts';
import type { Store, Team } from '../store.ts';

type Part<Holder, Key extends string> = Holder extends { [K in Key]?: infer Value } ? Value : never;
type BodyOf<Id extends OperationId> =
	Part<operations[Id], 'requestBody'> extends { content: { 'application/json': infer Body } }
		? Body
		: undefined;

/** A valid request in the names and formats of the contract, whatever the dialect. */
export interface Call<Id extends OperationId> {
	query: NonNullable<Part<operations[Id]['parameters'], 'query'>>;
	path: NonNullable<Part<operations[Id]['parameters'], 'path'>>;
	body: BodyOf<Id>;
	/** The active team. One-time passwords are verified without a key, so without a team. */
	team: Id extends 'otp.verify' ? undefined : Team;
	/** Path with query as it came. */
	url: string;
	/** Origin under which the client reached the service. */
	origin: string;
}

/** What handlers work on. */
export interface Context {
	store: Store;
	dialect: Dialect;
	agent: Agent;
}

/** Serves one operation. Validation, keys, limits and faults are not its business. */
export type Handler<Id extends OperationId> = (call: Call<Id>, context: Context) => Answer;
