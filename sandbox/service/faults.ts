import Type, { type Static, type TProperties } from 'typebox';

import { anyOperationIds, type AnyOperationId } from './contract.ts';
import { closed } from './schema.ts';

const first = Type.Integer({ minimum: 1 });
const milliseconds = Type.Integer({ minimum: 0 });
const processed = Type.Optional(Type.Boolean());

/** Which of the requests that reach the fault's operations it hits. Counted from 1. */
const requestsSchema = Type.Union([
	closed({ first }),
	closed({ from: first }),
	closed({ exactly: first }),
]);

function kind<const Kind extends string, Properties extends TProperties>(
	name: Kind,
	properties: Properties,
) {
	return Type.Object({ kind: Type.Literal(name), ...properties });
}

/**
 * What goes wrong. The comments say whether the request was processed: a webhook call that was
 * counts as accepted although the client cannot know.
 */
const faultKindSchema = Type.Union([
	/** The connection breaks before the request is read. Not processed. */
	kind('dropBefore', {}),
	/** The connection breaks instead of the answer. Processed. */
	kind('dropAfter', {}),
	/** The connection breaks in the middle of the answer's body. Processed. */
	kind('dropMidBody', {}),
	/** A failure with this status. Not processed unless said so. */
	kind('status', { status: Type.Integer({ minimum: 400, maximum: 599 }), processed }),
	/** A 429 with the `Retry-After` form of the rate limit settings. Not processed. */
	kind('tooManyRequests', { retryAfterMs: Type.Optional(milliseconds) }),
	/** A web page with status 200. Processed. */
	kind('html', {}),
	/** JSON that ends too early, with the right status. Processed. */
	kind('truncatedJson', {}),
	/** Status 200 and no body. Processed. */
	kind('emptyBody', {}),
	/** Valid JSON of another shape, `{ "items": [] }` unless given. Processed. */
	kind('wrongShape', { body: Type.Optional(Type.Unknown()) }),
	/** No answer at all; the connection stays open. Not processed unless said so. */
	kind('neverAnswer', { processed }),
	/** A redirect to `location`. Not processed. */
	kind('redirect', {
		location: Type.String(),
		status: Type.Optional(Type.Enum([301, 302, 303, 307, 308])),
	}),
	/** The right answer, late. Processed. */
	kind('delay', { ms: milliseconds }),
]);

/** A fault and where it strikes: all operations and all requests when not said. */
export const faultSchema = Type.Intersect(
	[
		faultKindSchema,
		Type.Object({
			operations: Type.Optional(
				Type.Union([
					Type.Literal('all'),
					Type.Unsafe<AnyOperationId[]>(Type.Array(Type.Enum(anyOperationIds))),
				]),
			),
			requests: Type.Optional(requestsSchema),
		}),
	],
	{ unevaluatedProperties: false },
);

export type Requests = Static<typeof requestsSchema>;
export type FaultKind = Static<typeof faultKindSchema>;
export type Fault = Static<typeof faultSchema>;

/** True when the stand-in does what the request asks for although the answer is spoilt. */
export function isProcessed(fault: FaultKind): boolean {
	switch (fault.kind) {
		case 'dropBefore':
		case 'tooManyRequests':
		case 'redirect':
			return false;
		case 'status':
		case 'neverAnswer':
			return fault.processed ?? false;
		default:
			return true;
	}
}

/** Decides for every request which fault strikes, if any. */
export interface FaultPlan {
	/** The first fault of the list that strikes. Every fault counts all requests it applies to. */
	next(operationId: AnyOperationId): Fault | undefined;
}

/** Builds a plan from the list of faults; its counts start at zero. */
export function planFaults(faults: readonly Fault[]): FaultPlan {
	const entries = faults.map((fault) => ({ fault, strikes: striker(fault.requests) }));
	return {
		next(operationId) {
			let hit: Fault | undefined;
			for (const { fault, strikes } of entries) {
				if (!appliesTo(fault, operationId)) continue;
				if (strikes()) hit ??= fault;
			}
			return hit;
		},
	};
}

function appliesTo(fault: Fault, operationId: AnyOperationId): boolean {
	const { operations = 'all' } = fault;
	return operations === 'all' || operations.includes(operationId);
}

function striker(requests: Requests | undefined): () => boolean {
	let count = 0;
	if (requests === undefined) return () => true;
	if ('first' in requests) return () => ++count <= requests.first;
	if ('from' in requests) return () => ++count >= requests.from;
	return () => ++count === requests.exactly;
}
