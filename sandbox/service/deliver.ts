import type { FastifyReply } from 'fastify';

import { failure, type Answer } from './answer.ts';
import type { Fault } from './faults.ts';
import { retryAfterHeaders } from './rateLimit.ts';
import type { ReceivedRequest } from './receiveLog.ts';
import type { RateLimit } from './settings.ts';

/** Sends an answer as it is. */
export function deliver(reply: FastifyReply, entry: ReceivedRequest, answer: Answer): void {
	entry.status = answer.status;
	reply.code(answer.status);
	if (answer.headers) reply.headers(answer.headers);
	if (answer.body === undefined) reply.send();
	else sendText(reply, 'application/json; charset=utf-8', JSON.stringify(answer.body));
}

/** Sends what a fault makes of an answer. The answer is the one that was due without the fault. */
export function deliverFault(
	reply: FastifyReply,
	entry: ReceivedRequest,
	answer: Answer,
	fault: Fault,
	{ retryAfter }: RateLimit,
): void {
	switch (fault.kind) {
		case 'dropBefore':
		case 'dropAfter':
			return drop(reply, entry);
		case 'dropMidBody':
			return dropMidBody(reply, entry, answer);
		case 'status':
			return deliver(reply, entry, failure(fault.status, 'Something went wrong'));
		case 'tooManyRequests': {
			const headers = retryAfterHeaders(retryAfter, fault.retryAfterMs ?? 1000, Date.now());
			return deliver(reply, entry, failure(429, 'Rate limit exceeded', headers));
		}
		case 'html':
			entry.status = 200;
			reply.code(200);
			return sendText(reply, 'text/html; charset=utf-8', webPage);
		case 'truncatedJson':
			entry.status = answer.status;
			reply.code(answer.status);
			return sendText(reply, 'application/json; charset=utf-8', firstHalf(answer));
		case 'emptyBody':
			return deliver(reply, entry, { status: 200 });
		case 'wrongShape':
			return deliver(reply, entry, { status: 200, body: fault.body ?? { items: [] } });
		case 'neverAnswer':
			entry.status = 'silent';
			reply.hijack();
			return;
		case 'redirect': {
			const headers = { location: fault.location };
			return deliver(reply, entry, { status: fault.status ?? 302, headers });
		}
		case 'delay':
			return deliver(reply, entry, answer);
	}
}

/** Breaks the connection without a word. */
export function drop(reply: FastifyReply, entry: ReceivedRequest): void {
	entry.status = 'dropped';
	reply.hijack();
	reply.raw.socket?.destroy();
}

const webPage =
	'<!doctype html><html><head><title>Maintenance</title></head><body><h1>Back soon</h1></body></html>';

function sendText(reply: FastifyReply, type: string, text: string): void {
	reply.type(type);
	reply.send(text);
}

/** Where the answer has no body, the half is one of a body that never existed. */
function firstHalf({ body = { accepted: true } }: Answer): string {
	const text = JSON.stringify(body);
	return text.slice(0, Math.ceil(text.length / 2));
}

function dropMidBody(reply: FastifyReply, entry: ReceivedRequest, answer: Answer): void {
	entry.status = 'dropped';
	reply.hijack();
	const half = Buffer.from(firstHalf(answer));
	reply.raw.writeHead(answer.status, {
		'content-type': 'application/json; charset=utf-8',
		'content-length': half.length * 2,
	});
	reply.raw.write(half, () => reply.raw.socket?.destroy());
}
