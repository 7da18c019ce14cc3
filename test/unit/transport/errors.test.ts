import fc from 'fast-check';
import type { NodeApiError } from 'n8n-workflow';
import {
	explain,
	type FailedRequest,
	isMarkup,
	quote,
	redact,
	toAnswerError,
	toApiError,
} from '../../../nodes/MessagingService/transport/errors';
import type { Outcome } from '../../../nodes/MessagingService/transport/exchange';
import { nodeWith } from '../helpers/node';
import { failure, FAILURE_REASONS, response } from '../helpers/outcomes';

const READ: FailedRequest = {
	method: 'GET',
	timeout: 60_000,
	origin: 'https://messaging.example.com:8443',
	itemIndex: 4,
};
const WRITE: FailedRequest = { ...READ, method: 'POST' };
const KEY = 'key-for-tests-0001';

const errorOf = (request: FailedRequest, outcome: Outcome, secrets: readonly string[] = [KEY]) =>
	toApiError(nodeWith(), request, outcome, secrets);

describe('every failure', () => {
	test.each([
		...Array.from({ length: 300 }, (_, i) => 300 + i).map((status) => response(status)),
		...FAILURE_REASONS.map((reason) => failure(reason, 'ECONNRESET: read ECONNRESET')),
		...FAILURE_REASONS.map((reason) => failure(reason, 'ETIMEDOUT: getaddrinfo ENOTFOUND')),
	])('reaches the user in the words chosen for it: $kind $status $reason', (outcome) => {
		for (const request of [READ, WRITE]) {
			const words = explain(request, outcome);
			const error = errorOf(request, outcome);
			expect(error.message).toBe(words.message);
			expect(error.description ?? '').toBe(words.description);
			expect(words.message).toMatch(/^[A-Z].*[^.]$/);
			expect(words.description.trim()).toMatch(/[.)]$|^$/);
			expect(error.context.itemIndex).toBe(4);
		}
	});

	test.each([
		[400, /did not accept the request/, /Check the values/],
		[401, /does not accept the API key/, /team settings/],
		[403, /does not accept the API key/, /team settings/],
		[404, /does not know this address/, /base URL/],
		[422, /did not accept the request/, /Check the values/],
		[429, /takes no more requests/, /in a minute/],
		[302, /redirect/, /base URL/],
		[500, /failed to answer/, /again later/],
		[503, /failed to answer/, /again later/],
	])('status %i says what happened and what to do', (status, message, description) => {
		const error = errorOf(READ, response(status));
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
		expect(error.description).toContain(`(Status ${status})`);
		expect(error.httpCode).toBe(String(status));
	});

	test.each([
		['notSent', /cannot be reached at messaging\.example\.com:8443/, /nothing was sent/],
		['broken', /broke off/, /again later/],
		['timeout', /within 60 seconds/, /raise the timeout/],
		['cancelled', /canceled while/, /^/],
		['notStarted', /was canceled/, /was not sent/],
		['insecure', /certificate of messaging\.example\.com:8443/, /nothing was sent/],
		['invalid', /could not be sent/, /API key/],
	] as const)('%s says what happened and what to do', (reason, message, description) => {
		const error = errorOf(READ, failure(reason, 'the detail'));
		expect(error.message).toMatch(message);
		expect(error.description ?? '').toMatch(description);
	});

	test.each([response(500), failure('broken'), failure('timeout'), failure('cancelled')])(
		'of a write that may have had an effect says so: $status $reason',
		(outcome) => {
			expect(explain(WRITE, outcome).description).toMatch(/may have acted on the request/);
			expect(explain(READ, outcome).description).not.toMatch(/may have acted/);
		},
	);

	test.each([response(429), response(400), failure('notSent'), failure('notStarted')])(
		'of a write that had no effect does not cast doubt: $status $reason',
		(outcome) => {
			expect(explain(WRITE, outcome).description).not.toMatch(/may have acted/);
		},
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
	])('a redirect to %j names where it leads', (location, words) => {
		const { description } = explain(READ, response(302, '', { location }));
		expect(description.startsWith(`${words}The API key is sent only`)).toBe(true);
	});

	// n8n replaces a message in which it finds the code of a system error, in whatever spelling.
	test.each(['enoent.example.com', 'thepermits.example.com', 'eaccess.example.com'])(
		'is told in our own words also for the host %s',
		(host) => {
			const request = { ...READ, origin: `https://${host}` };
			const outcome = failure('notSent', 'ENOTFOUND');
			expect(errorOf(request, outcome).message).toBe(explain(request, outcome).message);
		},
	);
});

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
	])('of %j is %j', (text, words) => {
		expect(quote(text)).toBe(words);
	});

	test('cuts long words off', () => {
		expect(quote('x'.repeat(300))).toBe('x'.repeat(300));
		expect(quote('x'.repeat(301))).toBe(`${'x'.repeat(300)}…`);
		expect(quote(JSON.stringify({ message: 'x'.repeat(10_000) }))).toHaveLength(301);
	});

	test('takes any answer', () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.json(), fc.json({ maxDepth: 8 })), (text) => {
				expect(quote(text).length).toBeLessThanOrEqual(301);
				expect(quote(text)).not.toMatch(/\n/);
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
	const cases = fc.tuple(
		anyKey,
		fc.constantFrom(...echoes),
		fc.string({ maxLength: 320 }),
		fc.oneof(fc.integer({ min: 200, max: 599 }), fc.constantFrom(...FAILURE_REASONS)),
		fc.constantFrom(READ, WRITE),
	);

	test('never shows up whole, wherever the service repeats it', () => {
		fc.assert(
			fc.property(cases, ([key, echo, before, kind, request]) => {
				const text = echo(key, before);
				const error =
					typeof kind === 'string'
						? errorOf(request, failure(kind, text), [key])
						: errorOf(request, response(kind, text, { location: `/${key}` }), [key]);
				expect(shownOf(error)).not.toContain(key);
			}),
			{ numRuns: 1_500 },
		);
	});

	test('never shows up whole in what is said of an answer', () => {
		fc.assert(
			fc.property(cases, ([key, echo, before, , request]) => {
				const answer = response(200, echo(key, before));
				expect(shownOf(toAnswerError(nodeWith(), request, answer, [key]))).not.toContain(key);
			}),
			{ numRuns: 500 },
		);
	});

	test('does not show up in part where a long answer is cut off', () => {
		const text = `${'x'.repeat(290)}${KEY}`;
		expect(shownOf(errorOf(READ, response(400, text)))).not.toContain(KEY.slice(0, 8));
	});

	test('does not show up in the spelling of JSON', () => {
		const key = 'key"with\\quotes';
		const text = JSON.stringify({ apiKey: key });
		const error = errorOf(READ, response(400, text), [key]);
		expect(shownOf(error)).not.toContain(JSON.stringify(key).slice(1, -1));
	});

	test('that is empty hides nothing', () => {
		expect(redact('all of it', [''])).toBe('all of it');
	});

	test('is hidden wherever it stands', () => {
		expect(redact('a-key b-key', ['a-key', 'b-key'])).toBe('[hidden] [hidden]');
		expect(redact('$&$1', ['$&'])).toBe('[hidden]$1');
	});
});

/** All that n8n shows or stores of an error. */
function shownOf(error: NodeApiError): string {
	return [error.message, error.description, error.stack, JSON.stringify(error)].join('\n');
}

describe('an answer that is not as promised', () => {
	test.each([
		['<html></html>', 'The answer is a web page and not from the messaging service', /login page/],
		['', 'The answer of the messaging service is not as promised', /It is empty\./],
		['[1]', 'The answer of the messaging service is not as promised', /It begins with: \[1\]\./],
	])('is an error: %j', (text, message, description) => {
		const error = toAnswerError(nodeWith(), READ, response(200, text), [KEY]);
		expect(error.message).toBe(message);
		expect(error.description).toMatch(description);
		expect(error.httpCode).toBe('200');
	});

	test('says of a write that it was accepted', () => {
		const { description } = toAnswerError(nodeWith(), WRITE, response(201, 'ok'), [KEY]);
		expect(description).toMatch(/^The service accepted the request/);
	});
});

test.each([
	['<html>', true],
	['  \n<?xml version="1.0"?>', true],
	['{"a":"<b>"}', false],
	['', false],
])('whether %j is a web page: %p', (text, expected) => {
	expect(isMarkup(text)).toBe(expected);
});
