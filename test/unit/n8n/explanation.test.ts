import { brotliCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import {
	type Answer,
	type FailedRequest,
	noResponse,
	RequestFailure,
} from '../../../nodes/MessagingService/api/request';
import { INBOXES } from '../../../nodes/MessagingService/api/listEndpoints';
import { IncompleteList } from '../../../nodes/MessagingService/api/incompleteList';
import { outcomeOfAnswer } from '../../../nodes/MessagingService/api/retry';
import { toNodeError, withNodeErrors } from '../../../nodes/MessagingService/n8n/errors';
import { Problem } from '../../../nodes/MessagingService/n8n/problem';
import { API_KEY as KEY, clientOf, response } from '../helpers/api';
import { nodeWith } from '../helpers/node';
import { VirtualClock } from '../helpers/virtualClock';

const READ: FailedRequest = {
	method: 'GET',
	path: '/public/messages',
	repeat: 'idempotent',
	timeout: 60_000,
	origin: 'https://messaging.example.com:8443',
	hasDeadline: false,
};
/** An answer as it comes when nobody has decompressed it. */
const COMPRESSED = brotliCompressSync('{"message":"phone is invalid"}').toString();
const WRITE: FailedRequest = { ...READ, method: 'POST', repeat: 'ifRefused' };
const unexpected = (status: number, text: string): Answer => ({
	...response(status, text),
	kind: 'unexpected',
});

/** The error that n8n shows of a request that was sent once and failed. */
function errorOf(request: FailedRequest, answer: Answer): NodeApiError {
	const failed = new RequestFailure(request, answer, outcomeOfAnswer(request.repeat, answer));
	const error = toNodeError(nodeWith(), failed, { itemIndex: 4 });
	if (error instanceof NodeApiError) return error;
	throw error;
}

describe('every failure', () => {
	test.each([
		[400, /did not accept the request/, /gives no reason\. Check the values/],
		[401, /does not accept the API key/, /team settings/],
		[403, /Something in front of the messaging service/, /firewall or a proxy/],
		[407, /Something in front of the messaging service/, /firewall or a proxy/],
		[404, /does not know this address/, /base URL/],
		[408, /took too long/, /again later/],
		[429, /is not accepting more requests/, /Max Retries/],
		[300, /redirect/, /base URL/],
		[500, /reported a server error/, /again later/],
	])('status %i says what happened and what to do', (status, message, description) => {
		const error = errorOf(READ, response(status));
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
		expect(error.description).toContain(`(Status ${status})`);
		expect(error.httpCode).toBe(String(status));
	});

	test.each([
		[400, 'This email exists.', /did not accept the request: This email exists$/, /^Check the/],
		[403, 'Not in your plan.', /refused access: Not in your plan$/, /^Ask whoever manages/],
		[
			401,
			'Expired',
			/does not accept the API key$/,
			/^The service says: "Expired"\. Check the API/,
		],
		[404, 'No such contact.', /not accept the request: No such contact$/, /^Check the values/],
		[429, 'Slow down', /not accepting more requests/, /says: "Slow down"/],
	])('status %i has the words of the service: %s', (status, words, message, description) => {
		const error = errorOf(READ, response(status, JSON.stringify({ message: words })));
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
	});

	test('status 401 of a request without the key is not about the key', () => {
		const error = errorOf({ ...WRITE, authenticate: false }, response(401));
		expect(`${error.message} ${error.description}`).not.toMatch(
			/does not accept|Check the API key/,
		);
	});

	test.each([
		[
			'unreachable',
			/cannot be reached at messaging\.example\.com:8443/,
			/nothing was sent.*\(detail\)/,
		],
		['broken', /broke off/, /again later\. \(detail\)/],
		['timeout', /within 60 seconds/, /raise "Timeout"/],
		['cancelled', /canceled while/, /Nothing was changed/],
		['notStarted', /was canceled$/, /was not sent/],
		['insecure', /certificate of messaging\.example\.com:8443/, /nothing was sent.*\(detail\)/],
		['invalid', /could not be sent/, /API key.*\(detail\)/],
		['heldBack', /not accepting more requests/, /out in detail, so this one was not sent/],
		['stalled', /only "too many requests" for 15 minutes/, /given up; it was not accepted/],
		['tooLarge', /is larger than detail$/, /Ask for less at a time/],
		['foreignLink', /links to another address/, /goes on at detail, but .*example\.com:8443\./],
	] as const)('%s says what happened and what to do', (reason, message, description) => {
		const error = errorOf(READ, noResponse(reason, 'detail'));
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
		expect(error.httpCode).toBeNull();
	});

	test('a place without HTTPS is not said to have a bad certificate', () => {
		const detail = 'EPROTO: write EPROTO: wrong version number';
		const error = errorOf(READ, noResponse('insecure', detail));
		expect(error.message).toBe('No secure connection to messaging.example.com:8443 is possible');
		expect(error.description).toMatch(/Nothing was sent.*does not speak HTTPS/);
		expect(error.description).not.toContain('http://');
	});

	test.each([
		...[303, 408, 499, 500, 502].map((status) => response(status)),
		...(['broken', 'timeout', 'cancelled'] as const).map((reason) => noResponse(reason)),
	])('of a write that may have had an effect says so: $status $reason', (answer) => {
		expect(errorOf(WRITE, answer).description).toMatch(/may have acted on the request/);
		expect(errorOf(READ, answer).description).not.toMatch(/may have acted/);
	});

	test.each([response(429), response(400), noResponse('unreachable'), noResponse('notStarted')])(
		'of a write that had no effect does not cast doubt: $status $reason',
		(answer) => expect(errorOf(WRITE, answer).description).not.toMatch(/may have acted/),
	);

	test('404 is told in the words of the operation', () => {
		const notFound = { message: 'No such webhook', description: 'Copy its address again.' };
		const error = errorOf({ ...READ, notFound }, response(404, '{"message":"Not found"}'));
		expect(error.message).toBe('No such webhook');
		expect(error.description).toBe(
			'The service says: "Not found". Copy its address again. (Status 404)',
		);
	});

	test.each([
		['https://elsewhere.example.com/x?y', 'It points to https://elsewhere.example.com. '],
		['', ''],
	])('a redirect to %j names where it leads', (location, words) => {
		const { description } = errorOf(READ, response(302, '', { location }));
		expect(description?.startsWith(`${words}The API key is sent only`)).toBe(true);
	});

	test.each([
		[
			'<html></html>',
			'A web page came back instead of an answer from the messaging service',
			/login page/,
		],
		['', 'Unexpected response from the messaging service', /^It is empty\./],
		['{}', 'Unexpected response from the messaging service', /^It begins with: \{\}\./],
		['[1]', 'Unexpected response from the messaging service', /^It begins with: \[1\]\./],
		[COMPRESSED, 'Unexpected response from the messaging service', /^It is not readable text\./],
	])('an answer that is not as promised is one: %j', (text, message, description) => {
		const error = errorOf(READ, unexpected(200, text));
		expect(error.message).toBe(message);
		expect(error.description).toMatch(description);
		expect(error.httpCode).toBe('200');
		expect(errorOf(WRITE, unexpected(201, text)).description).toMatch(
			/^The service may have processed/,
		);
	});
});

describe('what else fails', () => {
	const node = nodeWith();

	test('is an error of the node in its own words', () => {
		const error = toNodeError(node, new Problem('Preexisting', 'Why.'), {
			itemIndex: 4,
			addition: 'More.',
		});
		expect(error).toBeInstanceOf(NodeOperationError);
		// n8n replaces a message in which it finds the code of a system error, here EEXIST.
		expect(error).toMatchObject({
			message: 'Preexisting',
			description: 'Why. More.',
			context: { itemIndex: 4 },
		});
	});

	test.each([
		[
			'page 3, 4',
			new RequestFailure(READ, response(503), 'refused'),
			NodeApiError,
			/reported a server error/,
			/^Missing from the list: page 3, 4\. Run/,
		],
		[
			undefined,
			new Problem('Not complete', 'Why.'),
			NodeOperationError,
			/^Not complete$/,
			/changed while it was read.* reading it again failed\. Why\.$/,
		],
		[
			'page 2',
			new Error('any'),
			NodeOperationError,
			/^The list could not/,
			/^Missing from the list: page 2\. $/,
		],
	] as const)('is a list without %j', (pages, cause, kind, message, description) => {
		const error = toNodeError(node, new IncompleteList(INBOXES, { cause, pages }));
		expect(error).toBeInstanceOf(kind);
		expect(error.message).toMatch(message);
		expect(error).toHaveProperty('description', expect.stringMatching(description));
	});

	test("is an error of the node in n8n's own words", async () => {
		expect(toNodeError(node, new Error('of n8n'), { addition: 'More.' })).toMatchObject({
			message: 'of n8n',
			description: 'More.',
		});
		expect(toNodeError(node, 'words')).toMatchObject({ message: 'words' });
		expect(await withNodeErrors(node, async () => 'result')).toBe('result');
		await expect(withNodeErrors(node, () => Promise.reject(new Problem('Bad')))).rejects.toThrow(
			NodeOperationError,
		);
	});
});

describe('the words of the service', () => {
	const shownOf400 = (text: string) => errorOf(READ, response(400, text)).message;
	const REFUSED = 'The messaging service did not accept the request';

	test.each([
		['{"message":"phone is invalid"}', 'phone is invalid'],
		['{"error":{"message":"Not found","code":7}}', 'Not found'],
		['{"error":{"details":{}},"title":"Bad"}', 'Bad'],
		['{"message":["a is missing","b is missing"]}', 'a is missing; b is missing'],
		['{"errors":[{"message":"a"},{"detail":"b"},{}]}', 'a; b'],
		['{"statusCode":400,"error":"Bad Request","message":"phone is invalid"}', 'phone is invalid'],
		['{"code":42}', '{"code":42}'],
		['"only a text"', 'only a text'],
		['two\n  lines\t', 'two lines'],
		['N\uFFFDmero inv\uFFFDlido', 'N\uFFFDmero inv\uFFFDlido'],
		[JSON.stringify({ message: 'x'.repeat(10_000) }), `${'x'.repeat(300)}…`],
	])('in %j are %j', (text, words) => {
		expect(shownOf400(text)).toBe(`${REFUSED}: ${words}`);
	});

	test.each(['', '{}', '[{}]', '<html><h1>502 Bad Gateway</h1></html>', COMPRESSED])(
		'are none in %j',
		(text) => expect(shownOf400(text)).toBe(REFUSED),
	);
});

const anyKey = fc.string({
	unit: fc.constantFrom(...'ABCXYZabcxyz0123456789-_.~+/='),
	minLength: 8,
	maxLength: 64,
});

/** The shapes in which a service may repeat what it was sent. */
const echoes: Array<(key: string, before: string) => string> = [
	(key, before) => JSON.stringify({ message: `${before}${key} is not valid` }),
	(key, before) => JSON.stringify({ errors: [{ detail: before }, { detail: `bad ${key}` }] }),
	(key, before) => JSON.stringify({ headers: { apikey: key }, before }),
	(key, before) => `${before}${key}`,
	(key) => JSON.stringify(key),
];

/** The error that n8n shows when a client with this key gets an answer. */
async function errorWith(key: string, request: FailedRequest, answer: Answer): Promise<unknown> {
	const clock = new VirtualClock();
	const client = clientOf(async () => answer, clock, {
		apiKey: key,
		transport: { maxRetries: 0 },
	});
	const failed = await clock.run(
		client.send(request, () => undefined).catch((error: unknown) => error),
	);
	return toNodeError(nodeWith(), failed, { redactor: client.account.redactor });
}

/** Failures whose details are shown. */
const SHOWN = ['unreachable', 'broken', 'insecure', 'invalid', 'heldBack', 'foreignLink'] as const;

describe('a secret', () => {
	test('never shows up, wherever the service repeats it', async () => {
		const kinds = fc.oneof(fc.integer({ min: 200, max: 599 }), fc.constantFrom(...SHOWN));
		const before = fc.string({ maxLength: 320 });
		const cases = fc.tuple(anyKey, fc.constantFrom(...echoes), before, kinds);
		await fc.assert(
			fc.asyncProperty(
				cases,
				fc.constantFrom(READ, WRITE),
				async ([key, echo, before, kind], request) => {
					const text = echo(key, before);
					const answer =
						typeof kind === 'string'
							? noResponse(kind, text)
							: response(kind, text, { location: `https://${key}.example.com/${key}` });
					expect(shownOf(await errorWith(key, request, answer))).not.toContain(key);
				},
			),
			{ numRuns: 500 },
		);
	});

	test.each([200, 400])(
		'does not show up in part where a long answer is cut off',
		async (status) => {
			const text = `${'x'.repeat(285)}${KEY}`;
			for (const words of [text, JSON.stringify({ message: text })]) {
				const error = await errorWith(KEY, READ, response(status, words));
				expect(shownOf(error)).toContain('xxx[hi');
				expect(shownOf(error)).not.toContain(KEY.slice(0, 8));
			}
		},
	);
});

test('no option is advised where there is none, as in the editor and the trigger', () => {
	const request = { ...WRITE, hasDeadline: true };
	for (const answer of [response(429, ''), noResponse('timeout')])
		expect(errorOf(request, answer).description).not.toMatch(/raise|options|Run the node/i);
});

/** All that n8n shows or stores of an error. */
function shownOf(error: unknown): string {
	const { message, description, stack } = Object(error);
	return [message, description, stack, JSON.stringify(error)].join('\n');
}
