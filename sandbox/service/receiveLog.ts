import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { AnyOperationId, WebhookBody } from './contract.ts';

/** One request as it arrived. */
export interface ReceivedRequest {
	/** Milliseconds since 1970. */
	time: number;
	method: string;
	/** The service's, as the client called it. */
	origin: string;
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
	/** ID of the team. */
	team: string;
	webhookId: string;
	body: WebhookBody;
}

export interface Counts {
	requests: number;
	byStatus: Record<string, number>;
	accepted: number;
}

/** Remembers everything that arrives; the figures are worked out only when asked for. */
export class ReceiveLog {
	readonly received: ReceivedRequest[] = [];
	readonly accepted: AcceptedCall[] = [];

	open(request: IncomingMessage): ReceivedRequest {
		const [path = '', query = ''] = (request.url ?? '').split('?', 2);
		const entry: ReceivedRequest = {
			time: Date.now(),
			method: request.method ?? '',
			origin: `http://${request.headers.host}`,
			path,
			query,
			headers: request.headers,
			status: 'unanswered',
		};
		this.received.push(entry);
		return entry;
	}

	counts(): Counts {
		const byStatus: Record<string, number> = {};
		for (const { status } of this.received) byStatus[status] = (byStatus[status] ?? 0) + 1;
		return { requests: this.received.length, byStatus, accepted: this.accepted.length };
	}
}
