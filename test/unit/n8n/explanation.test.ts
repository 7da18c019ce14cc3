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
import { toNodeError } from '../../../nodes/MessagingService/n8n/errors';
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

const says = (message: string) => JSON.stringify({ message });

test.each<[status: number, text: string, message: RegExp, description: RegExp]>([
	[400, '', /did not accept the request$/, /gives no reason\. Check the values/],
	[400, says('Email exists.'), /did not accept the request: Email exists$/, /^Check the values/],
	[401, '', /does not accept the API key/, /team settings/],
	[401, says('Expired'), /accept the API key$/, /^The service says: "Expired"\. Check the API/],
	[403, '', /Something in front of the messaging service/, /firewall or a proxy/],
	[403, says('Not in your plan.'), /refused access: Not in your plan$/, /^Ask whoever manages/],
	[404, '', /does not know this address/, /base URL/],
	[404, says('No such contact.'), /not accept the request: No such contact$/, /and the base URL/],
	[407, '', /Something in front of the messaging service/, /firewall or a proxy/],
	[408, '', /took too long/, /again later/],
	[300, '', /redirect/, /base URL/],
	[500, '', /reported a server error/, /again later/],
])('status %i with %j says what happened and what to do', (status, text, message, description) => {
	const error = errorOf(READ, response(status, text));
	expect(error.message).toMatch(message);
	expect(error.description).toMatch(description);
	expect(error.description).toContain(`(Status ${status})`);
	expect(error.httpCode).toBe(String(status));
});

test.each([
	[
		'unreachable',
		/cannot be reached at messaging\.example\.com:8443/,
		/nothing was sent.*\(detail\)/,
	],
	['broken', /broke off/, /again later\. \(detail\)/],
	['timeout', /within 60 seconds/, /raise "Timeout"/],
	// n8n takes an execution for canceled by this word.
	['cancelled', /canceled/, /Nothing was changed/],
	['notStarted', /canceled/, /was not sent/],
	['insecure', /certificate of messaging\.example\.com:8443/, /nothing was sent.*\(detail\)/],
	['invalid', /could not be sent/, /API key.*\(detail\)/],
	['heldBack', /not accepting more requests/, /out in detail, so this one was not sent/],
	['stalled', /only "too many requests" for 15 minutes/, /given up; it was not accepted/],
	['outage', /nothing gets through to messaging/, /The latest call failed with: detail\./],
	['tooLarge', /is larger than detail$/, /Ask for less at a time/],
	['foreignLink', /links to another address/, /goes on at detail, but .*example\.com:8443\./],
] as const)(
	'no response, %s: says what happened and what to do',
	(reason, message, description) => {
		const error = errorOf(READ, noResponse(reason, 'detail'));
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
		expect(error.httpCode).toBeNull();
	},
);

test('a place without HTTPS is not said to have a bad certificate', () => {
	const error = errorOf(READ, noResponse('insecure', 'EPROTO: write EPROTO: wrong version number'));
	expect(error.message).not.toContain('certificate');
	expect(error.description).toMatch(/Nothing was sent.*does not speak HTTPS/);
});

test('status 401 of a request without the key is not about the key', () => {
	const error = errorOf({ ...WRITE, authenticate: false }, response(401));
	expect(`${error.message} ${error.description}`).not.toMatch(/API key/);
});

test.each([
	...[303, 408, 499, 500, 502].map((status) => ({ answer: response(status), mayHave: true })),
	...(['broken', 'timeout', 'cancelled'] as const).map((reason) => {
		return { answer: noResponse(reason), mayHave: true };
	}),
	{ answer: response(400), mayHave: false },
	...(['unreachable', 'notStarted'] as const).map((reason) => {
		return { answer: noResponse(reason), mayHave: false };
	}),
])(
	'that a write may have had an effect is said where it may: $answer.status $answer.reason, $mayHave',
	({ answer, mayHave }) => {
		const words = String(errorOf(WRITE, answer).description);
		expect(words.includes('may have acted on the request')).toBe(mayHave);
		expect(errorOf(READ, answer).description).not.toContain('may have acted');
	},
);

test('404 is told in the words of the operation', () => {
	const notFound = { message: 'No such webhook', description: 'Copy its address again.' };
	const error = errorOf({ ...READ, notFound }, response(404, says('Not found')));
	expect(error.message).toBe('No such webhook');
	expect(error.description).toMatch(/^The service says: "Not found"\. Copy its address again\. /);
});

test.each([
	['<html></html>', /^A web page came back/, /login page/],
	['', /^Unexpected response/, /^It is empty\./],
	['[1]', /^Unexpected response/, /^It begins with: \[1\]\./],
	[COMPRESSED, /^Unexpected response/, /^It is not readable text\./],
])('an answer that is not as promised is one: %j', (text, message, description) => {
	const error = errorOf(READ, unexpected(200, text));
	expect(error.message).toMatch(message);
	expect(error.description).toMatch(description);
	expect(errorOf(WRITE, unexpected(201, text)).description).toMatch(/may have processed/);
});

test.each<[string, Answer, object | undefined]>([
	['status 401', response(401), { cause: 'credential-invalid' }],
	['only 429', noResponse('stalled'), { cause: 'rate-limited' }],
	['status 503', response(503), { cause: 'temporarily-unavailable' }],
	['status 400', response(400), undefined],
])('n8n itself is told what it means: %s', (_name, answer, failure) => {
	expect(Reflect.get(errorOf(READ, answer), 'failure')).toEqual(failure);
});

test('what else fails is an error of the node in its own words', () => {
	const context = { itemIndex: 4, addition: 'More.' };
	// n8n replaces a message in which it finds the code of a system error, here EEXIST.
	const own = toNodeError(nodeWith(), new Problem('Preexisting', 'Why.'), context);
	expect(own).toBeInstanceOf(NodeOperationError);
	expect(own).toMatchObject({
		message: 'Preexisting',
		description: 'Why. More.',
		context: { itemIndex: 4 },
	});
	expect(toNodeError(nodeWith(), new Error('of n8n'))).toMatchObject({ message: 'of n8n' });
	expect(toNodeError(nodeWith(), 'words')).toMatchObject({ message: 'words' });
});

test.each([
	['page 3', new RequestFailure(READ, response(503), 'refused'), /^Missing from .* page 3\. Run/],
	[undefined, new Problem('Not complete', 'Why.'), /changed while .* again failed\. Why\.$/],
	['page 2', new Error('any'), /^Missing from the list: page 2\. $/],
] as const)('a list without %j names what is missing, and why', (pages, cause, description) => {
	const error = toNodeError(nodeWith(), new IncompleteList(INBOXES, { cause, pages }));
	expect(error.description).toMatch(description);
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
	const { description } = errorOf(request, noResponse('timeout'));
	expect(description).not.toMatch(/raise|options|Run the node/i);
});

/** All that n8n shows or stores of an error. */
function shownOf(error: unknown): string {
	const { message, description, stack } = Object(error);
	return [message, description, stack, JSON.stringify(error)].join('\n');
}
