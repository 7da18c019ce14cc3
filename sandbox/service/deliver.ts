import type { ServerResponse } from 'node:http';

import { failure, type Answer } from './answer.ts';
import type { Fault } from './faults.ts';
import { retryAfterHeaders } from './rateLimit.ts';
import type { ReceivedRequest } from './receiveLog.ts';
import type { RateLimit } from './settings.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends an answer as it is. */
export function deliver(response: ServerResponse, entry: ReceivedRequest, answer: Answer): void {
	const { status, body, headers = {} } = answer;
	for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
	sendText(response, entry, { status, text: body === undefined ? '' : JSON.stringify(body) });
}

/** Sends what a fault makes of an answer. The answer is the one that was due without the fault. */
export function deliverFault(
	response: ServerResponse,
	entry: ReceivedRequest,
	answer: Answer,
	fault: Fault,
	{ retryAfter }: RateLimit,
): void {
	switch (fault.kind) {
		case 'dropBefore':
		case 'dropAfter':
			return drop(response, entry);
		case 'dropMidBody':
			return dropMidBody(response, entry, answer);
		case 'status':
			return deliver(response, entry, failure(fault.status, 'Something went wrong'));
		case 'tooManyRequests': {
			const headers = retryAfterHeaders(retryAfter, fault.retryAfterMs ?? 1000);
			return deliver(response, entry, failure(429, 'Rate limit exceeded', headers));
		}
		case 'html':
			return sendText(response, entry, { status: 200, text: WEB_PAGE, type: 'text/html' });
		case 'truncatedJson':
			return sendText(response, entry, { status: answer.status, text: firstHalf(answer) });
		case 'emptyBody':
			return deliver(response, entry, { status: 200 });
		case 'wrongShape':
			return deliver(response, entry, { status: 200, body: fault.body ?? { items: [] } });
		case 'neverAnswer':
			entry.status = 'silent';
			return;
		case 'redirect': {
			const headers = { location: fault.location };
			return deliver(response, entry, { status: fault.status ?? 302, headers });
		}
		case 'delay':
			return deliver(response, entry, answer);
	}
}

/** Breaks the connection without a word. */
export function drop(response: ServerResponse, entry: ReceivedRequest): void {
	entry.status = 'dropped';
	response.socket?.destroy();
}

const WEB_PAGE =
	'<!doctype html><html><head><title>Maintenance</title></head><body><h1>Back soon</h1></body></html>';

function sendText(
	response: ServerResponse,
	entry: ReceivedRequest,
	{ status, text, type = JSON_TYPE }: { status: number; text: string; type?: string },
): void {
	entry.status = status;
	response.statusCode = status;
	if (text !== '') response.setHeader('content-type', type);
	response.end(text);
}

/** Where the answer has no body, the half is one of a body that never existed. */
function firstHalf({ body = { accepted: true } }: Answer): string {
	const text = JSON.stringify(body);
	return text.slice(0, Math.ceil(text.length / 2));
}

function dropMidBody(response: ServerResponse, entry: ReceivedRequest, answer: Answer): void {
	entry.status = 'dropped';
	const half = Buffer.from(firstHalf(answer));
	response.writeHead(answer.status, {
		'content-type': JSON_TYPE,
		'content-length': half.length * 2,
	});
	response.write(half, () => response.socket?.destroy());
}
