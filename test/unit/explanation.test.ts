import fc from 'fast-check';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { IncompleteList } from '../../nodes/MessagingService/api/list';
import type { Outcome } from '../../nodes/MessagingService/api/outcome';
import {
	type FailedRequest,
	RequestFailure,
} from '../../nodes/MessagingService/api/requestFailure';
import { Redactor } from '../../nodes/MessagingService/api/secrets';
import { isMarkup, quote } from '../../nodes/MessagingService/explanation';
import { Problem, toNodeError, withNodeErrors } from '../../nodes/MessagingService/nodeError';
import { API_KEY as KEY, failure, FAILURE_REASONS, response } from './helpers/api';
import { nodeWith } from './helpers/node';

const READ: FailedRequest = {
	method: 'GET',
	path: '/public/messages',
	timeout: 60_000,
	origin: 'https://messaging.example.com:8443',
};
const WRITE: FailedRequest = { ...READ, method: 'POST' };
const unexpected = (status: number, text: string): Outcome => ({
	...response(status, text),
	kind: 'unexpected',
});

/** The error that n8n shows of a request that failed. */
function errorOf(request: FailedRequest, outcome: Outcome, key = KEY): NodeApiError {
	const error = toNodeError(nodeWith(), new RequestFailure(request, outcome, new Redactor([key])), {
		itemIndex: 4,
	});
	if (error instanceof NodeApiError) return error;
	throw error;
}

describe('every failure', () => {
	test.each([
		...Array.from({ length: 300 }, (_, i) => response(300 + i)),
		...FAILURE_REASONS.map((reason) => failure(reason, 'ECONNRESET: read ECONNRESET')),
		...FAILURE_REASONS.map((reason) => failure(reason, 'ETIMEDOUT: getaddrinfo ENOTFOUND')),
	])('reaches the user in whole sentences: $kind $status $reason', (outcome) => {
		for (const request of [READ, WRITE]) {
			const error = errorOf(request, outcome);
			// Words that n8n puts in place of ours name no service.
			expect(error.message).toMatch(
				/messaging|certificate of|The execution was canceled|The request could not/,
			);
			expect(error.message).toMatch(/^[A-Z].*[^.]$/);
			expect(error.description?.trim()).toMatch(/[.)]$/);
			expect(error.context.itemIndex).toBe(4);
		}
	});

	test.each([
		[400, /did not accept the request/, /gives no reason\. Check the values/],
		[401, /does not accept the API key/, /team settings/],
		[403, /does not accept the API key/, /team settings/],
		[404, /does not know this address/, /base URL/],
		[408, /took too long/, /again later/],
		[422, /did not accept the request/, /Check the values/],
		[499, /took too long/, /again later/],
		[429, /is not accepting more requests/, /in a minute/],
		[300, /redirect/, /base URL/],
		[399, /redirect/, /base URL/],
		[500, /reported a server error/, /again later/],
		[503, /reported a server error/, /again later/],
	])('status %i says what happened and what to do', (status, message, description) => {
		const error = errorOf(READ, response(status));
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
		expect(error.description).toContain(`(Status ${status})`);
		expect(error.httpCode).toBe(String(status));
	});

	test.each([303, 408, 499, 500, 502])(
		'status %i of a write says that the service may have acted',
		(status) => {
			expect(errorOf(WRITE, response(status)).description).toContain('may have acted');
			expect(errorOf(READ, response(status)).description).not.toContain('may have acted');
		},
	);

	test('a short reason of the service is part of the message, a long one stands below it', () => {
		const errorFor = (message: string) =>
			errorOf(WRITE, response(400, JSON.stringify({ message })));
		const short = errorFor('A user with this email exists already.');
		expect(short.message).toBe(
			'The messaging service did not accept the request: A user with this email exists already',
		);
		expect(short.description).toBe('Check the values of this node. (Status 400)');
		const long = errorFor(`${'long '.repeat(40)}reason`);
		expect(long.message).toBe('The messaging service did not accept the request');
		expect(long.description).toContain('reason". Check the values');
		expect(errorFor(`Wrong key ${KEY}`).message).not.toContain(KEY);
	});

	test.each([401, 403])('status %i of a request without the key is not about the key', (status) => {
		const { message } = errorOf({ ...WRITE, authenticate: false }, response(status));
		expect(message).toBe('The messaging service did not accept the request');
	});

	test.each([
		[
			'notSent',
			/cannot be reached at messaging\.example\.com:8443/,
			/nothing was sent.*\(detail\)/,
		],
		['broken', /broke off/, /again later\. \(detail\)/],
		['timeout', /within 60 seconds/, /raise "Timeout"/],
		['cancelled', /canceled while/, /Nothing was changed/],
		['notStarted', /was canceled$/, /was not sent/],
		['insecure', /certificate of messaging\.example\.com:8443/, /nothing was sent.*\(detail\)/],
		['invalid', /could not be sent/, /API key.*\(detail\)/],
		['foreignLink', /links to another address/, /goes on at detail, but .*example\.com:8443\./],
	] as const)('%s says what happened and what to do', (reason, message, description) => {
		const error = errorOf(READ, failure(reason, 'detail'));
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
		expect(error.httpCode).toBeNull();
	});

	test('a place without HTTPS is not said to have a bad certificate', () => {
		const detail = 'EPROTO: write EPROTO: wrong version number';
		const error = errorOf(READ, failure('insecure', detail));
		expect(error.message).toBe('No secure connection to messaging.example.com:8443 is possible');
		expect(error.description).toMatch(/Nothing was sent.*begin the base URL with http:\/\//);
	});

	test.each([response(500), failure('broken'), failure('timeout'), failure('cancelled')])(
		'of a write that may have had an effect says so: $status $reason',
		(outcome) => {
			expect(errorOf(WRITE, outcome).description).toMatch(/may have acted on the request/);
			expect(errorOf(READ, outcome).description).not.toMatch(/may have acted/);
		},
	);

	test.each([response(429), response(400), failure('notSent'), failure('notStarted')])(
		'of a write that had no effect does not cast doubt: $status $reason',
		(outcome) => expect(errorOf(WRITE, outcome).description).not.toMatch(/may have acted/),
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
		['/login', 'It points to https://messaging.example.com:8443. '],
		['https://[', ''],
		['', ''],
		[`https://${KEY}.example.com/`, 'It points to https://[hidden].example.com. '],
	])('a redirect to %j names where it leads', (location, words) => {
		const { description } = errorOf(READ, response(302, '', { location }));
		expect(description?.startsWith(`${words}The API key is sent only`)).toBe(true);
	});

	// n8n replaces a message in which it finds the code of a system error, in whatever spelling.
	test.each(['enoent.example.com', 'thepermits.example.com', 'eaccess.example.com'])(
		'is told in our own words also for the host %s',
		(host) => {
			const { message } = errorOf(
				{ ...READ, origin: `https://${host}` },
				failure('notSent', 'ENOTFOUND'),
			);
			expect(message).toBe(`The messaging service cannot be reached at ${host}`);
		},
	);

	test.each([
		[
			'<html></html>',
			'A web page came back instead of an answer from the messaging service',
			/login page/,
		],
		['', 'Unexpected response from the messaging service', /^It is empty\./],
		['[1]', 'Unexpected response from the messaging service', /^It begins with: \[1\]\./],
	])('an answer that is not as promised is one: %j', (text, message, description) => {
		const error = errorOf(READ, unexpected(200, text));
		expect(error.message).toBe(message);
		expect(error.description).toMatch(description);
		expect(error.httpCode).toBe('200');
		expect(errorOf(WRITE, unexpected(201, text)).description).toMatch(/^The service accepted/);
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
			'3, 4',
			new RequestFailure(READ, response(503), new Redactor([])),
			NodeApiError,
			/reported a server error/,
			/^Missing from the list: page 3, 4\. Run/,
		],
		[
			undefined,
			new Problem('Not complete', 'Why.'),
			NodeOperationError,
			/^Not complete$/,
			/^Why\.$/,
		],
		[
			'2',
			new Error('any'),
			NodeOperationError,
			/^The list could not/,
			/^Missing from the list: page 2\. $/,
		],
	] as const)('is a list without its pages %j', (pages, cause, kind, message, description) => {
		const list = new IncompleteList([{ id: 1 }], { cause, pages }).map(() => ({ id: 2 }));
		expect(list.items).toEqual([{ id: 2 }]);
		const error = toNodeError(node, list);
		expect(error).toBeInstanceOf(kind);
		expect(error.message).toMatch(message);
		expect(error).toHaveProperty('description', expect.stringMatching(description));
	});

	test('stays as it is when it is an error already, and becomes one when it is none', async () => {
		const error = new Error('of n8n');
		expect(toNodeError(node, error)).toBe(error);
		expect(toNodeError(node, 'words')).toMatchObject({ message: 'words' });
		expect(await withNodeErrors(node, async () => 'result')).toBe('result');
		await expect(withNodeErrors(node, () => Promise.reject(new Problem('Bad')))).rejects.toThrow(
			NodeOperationError,
		);
	});
});

const NOTHING = new Redactor([]);

describe('quote', () => {
	test.each([
		['{"message":"phone is invalid"}', 'phone is invalid'],
		['{"error":"Not found"}', 'Not found'],
		['{"error":{"message":"Not found","code":7}}', 'Not found'],
		['{"error":{"details":{}},"title":"Bad"}', 'Bad'],
		['{"detail":"Nope"}', 'Nope'],
		['{"message":["a is missing","b is missing"]}', 'a is missing; b is missing'],
		['{"errors":[{"message":"a"},{"detail":"b"},{}]}', 'a; b'],
		['{"errors":[]}', '{"errors":[]}'],
		['{"message":""}', '{"message":""}'],
		['{"statusCode":400,"error":"Bad Request","message":"phone is invalid"}', 'phone is invalid'],
		['{"code":42}', '{"code":42}'],
		['"only a text"', 'only a text'],
		['plain words', 'plain words'],
		['two\n  lines\t', 'two lines'],
		['', ''],
		['  ', ''],
		['""', ''],
		['<html><h1>502 Bad Gateway</h1></html>', ''],
		['\n<!doctype html>', ''],
		['null', 'null'],
		['{"errors":[[[{"message":"deep"}]]]}', '{"errors":[[[{"message":"deep"}]]]}'],
		['{"errors":[[{"message":"deep"}]]}', 'deep'],
	])('of %j is %j', (text, words) => {
		expect(quote(text, NOTHING)).toBe(words);
	});

	test('cuts long words off', () => {
		expect(quote('x'.repeat(300), NOTHING)).toBe('x'.repeat(300));
		// What is no text is not quoted.
		expect(quote('\u001f\ufffd\b', NOTHING)).toBe('');
		expect(quote('Two\r\n\tlines', NOTHING)).toBe('Two lines');
		expect(quote('x'.repeat(301), NOTHING)).toBe(`${'x'.repeat(300)}…`);
		expect(quote(JSON.stringify({ message: 'x'.repeat(10_000) }), NOTHING)).toHaveLength(301);
	});

	test('takes any answer', () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.json(), fc.json({ maxDepth: 8 })), (text) => {
				expect(quote(text, NOTHING).length).toBeLessThanOrEqual(301);
				expect(quote(text, NOTHING)).not.toMatch(/\n/);
			}),
			{ numRuns: 1_000 },
		);
	});
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

describe('a secret', () => {
	test('never shows up whole, wherever the service repeats it', () => {
		const kinds = fc.oneof(
			fc.integer({ min: 200, max: 599 }),
			fc.constantFrom(...FAILURE_REASONS, 'unexpected' as const),
		);
		const before = fc.string({ maxLength: 320 });
		const cases = fc.tuple(anyKey, fc.constantFrom(...echoes), before, kinds);
		fc.assert(
			fc.property(cases, fc.constantFrom(READ, WRITE), ([key, echo, before, kind], request) => {
				const text = echo(key, before);
				const outcomeOf = () => {
					if (kind === 'unexpected') return unexpected(200, text);
					if (typeof kind === 'string') return failure(kind, text);
					return response(kind, text, { location: `/${key}` });
				};
				expect(shownOf(errorOf(request, outcomeOf(), key))).not.toContain(key);
			}),
			{ numRuns: 1_500 },
		);
	});

	test('does not show up where it stands in the address of the service', () => {
		const error = errorOf({ ...READ, origin: `https://${KEY}.example.com` }, failure('notSent'));
		expect(shownOf(error)).not.toContain(KEY);
	});

	test('does not show up in part where a long answer is cut off', () => {
		const text = `${'x'.repeat(290)}${KEY}`;
		for (const outcome of [response(400, text), unexpected(200, text)]) {
			expect(shownOf(errorOf(READ, outcome))).not.toContain(KEY.slice(0, 8));
		}
	});
});

/** All that n8n shows or stores of an error. */
function shownOf(error: NodeApiError): string {
	return [error.message, error.description, error.stack, JSON.stringify(error)].join('\n');
}

test.each([
	['<html>', true],
	['  \n<?xml version="1.0"?>', true],
	['{"a":"<b>"}', false],
	['', false],
])('whether %j is a web page: %p', (text, expected) => {
	expect(isMarkup(text)).toBe(expected);
});
