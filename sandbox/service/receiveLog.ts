import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { AnyOperationId, WebhookBody } from './contract.ts';

/** One request as it arrived. */
export interface ReceivedRequest {
	/** Milliseconds since 1970. */
	time: number;
	method: string;
	path: string;
	/** The raw query string, without the question mark. */
	query: string;
	headers: IncomingHttpHeaders;
	/** Parsed when it is JSON, else the text; undefined without a body or when it was not read. */
	body?: unknown;
	/** ID of the team whose key was sent. */
	team?: string;
	/** Undefined for paths that the interface does not have. */
	operationId?: AnyOperationId;
	/**
	 * What was answered; `dropped` when the connection was broken instead, `silent` when there will be no answer,
	 * `unanswered` so far.
	 */
	status: number | 'dropped' | 'silent' | 'unanswered';
}

/** A webhook call that was processed, whether or not the client got to know. */
export interface AcceptedCall {
	time: number;
	/** ID of the team. */
	team: string;
	webhookId: string;
	body: WebhookBody;
}

export interface Counts {
	requests: number;
	byOperation: Record<string, number>;
	byStatus: Record<string, number>;
	accepted: number;
}

/** Remembers everything that arrives; the figures are worked out only when asked for. */
interface ReceiveLog {
	open(request: IncomingMessage): ReceivedRequest;
	accept(call: AcceptedCall): void;
	received(): readonly ReceivedRequest[];
	accepted(): readonly AcceptedCall[];
	counts(): Counts;
	reset(): void;
}

/** An empty log. */
export function createReceiveLog(): ReceiveLog {
	let received: ReceivedRequest[] = [];
	let accepted: AcceptedCall[] = [];

	return {
		open(request) {
			const [path = '', query = ''] = (request.url ?? '').split('?', 2);
			const entry: ReceivedRequest = {
				time: Date.now(),
				method: request.method ?? '',
				path,
				query,
				headers: request.headers,
				status: 'unanswered',
			};
			received.push(entry);
			return entry;
		},
		accept: (call) => void accepted.push(call),
		received: () => received,
		accepted: () => accepted,
		counts: () => ({
			requests: received.length,
			byOperation: countBy(received, ({ operationId }) => operationId ?? 'unknown'),
			byStatus: countBy(received, ({ status }) => String(status)),
			accepted: accepted.length,
		}),
		reset() {
			received = [];
			accepted = [];
		},
	};
}

function countBy<Item>(items: readonly Item[], key: (item: Item) => string) {
	const counts: Record<string, number> = {};
	for (const item of items) {
		const name = key(item);
		counts[name] = (counts[name] ?? 0) + 1;
	}
	return counts;
}
