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
	/** What was answered; `dropped` when the connection was broken instead, `unanswered` so far. */
	status: number | 'dropped' | 'unanswered';
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
	/** Accepted webhook calls of all teams by second since 1970. */
	acceptedPerSecond: Record<string, number>;
	/** Most accepted webhook calls of one team in any window of 60 seconds. */
	maxAcceptedPer60s: number;
	/** The same for webhook requests that arrived, including those that were refused. */
	maxWebhookRequestsPer60s: number;
	peakRequests: number;
	peakConnections: number;
}

/** Remembers everything that arrives; the figures are worked out only when asked for. */
export interface ReceiveLog {
	open(request: IncomingMessage): ReceivedRequest;
	accept(call: AcceptedCall): void;
	requestStarted(): void;
	requestEnded(): void;
	connectionOpened(): void;
	connectionClosed(): void;
	received(): readonly ReceivedRequest[];
	accepted(): readonly AcceptedCall[];
	counts(): Counts;
	reset(): void;
}

const minuteMs = 60_000;

/** An empty log. */
export function createReceiveLog(): ReceiveLog {
	let received: ReceivedRequest[] = [];
	let accepted: AcceptedCall[] = [];
	const requests = createGauge();
	const connections = createGauge();

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
		requestStarted: requests.up,
		requestEnded: requests.down,
		connectionOpened: connections.up,
		connectionClosed: connections.down,
		received: () => received,
		accepted: () => accepted,
		counts: () => ({
			requests: received.length,
			byOperation: countBy(received, ({ operationId }) => operationId ?? 'unknown'),
			byStatus: countBy(received, ({ status }) => String(status)),
			accepted: accepted.length,
			acceptedPerSecond: countBy(accepted, ({ time }) => String(Math.floor(time / 1000))),
			maxAcceptedPer60s: maxPerWindow(accepted, minuteMs),
			maxWebhookRequestsPer60s: maxPerWindow(
				received.filter(({ operationId }) => operationId === 'pipeline.invokeWebhook'),
				minuteMs,
			),
			peakRequests: requests.peak(),
			peakConnections: connections.peak(),
		}),
		reset() {
			received = [];
			accepted = [];
			requests.restart();
			connections.restart();
		},
	};
}

/** Most events of one team in any window of the length (milliseconds), of a list in order of time. */
export function maxPerWindow(
	events: ReadonlyArray<{ time: number; team?: string }>,
	windowMs: number,
): number {
	const times = new Map<string | undefined, number[]>();
	for (const { team, time } of events) {
		const ofTeam = times.get(team);
		if (ofTeam) ofTeam.push(time);
		else times.set(team, [time]);
	}
	let max = 0;
	for (const ofTeam of times.values()) {
		let first = 0;
		for (const [last, time] of ofTeam.entries()) {
			while (time - (ofTeam[first] ?? time) >= windowMs) first++;
			max = Math.max(max, last - first + 1);
		}
	}
	return max;
}

function countBy<Item>(items: readonly Item[], key: (item: Item) => string) {
	const counts: Record<string, number> = {};
	for (const item of items) {
		const name = key(item);
		counts[name] = (counts[name] ?? 0) + 1;
	}
	return counts;
}

function createGauge() {
	let current = 0;
	let peak = 0;
	return {
		up() {
			current++;
			if (current > peak) peak = current;
		},
		down() {
			current--;
		},
		peak: () => peak,
		restart() {
			peak = current;
		},
	};
}
