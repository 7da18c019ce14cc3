import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import {
	type Answer,
	type FailedRequest,
	noResponse,
	RequestFailure,
} from '../../../nodes/MessagingService/api/request';
import { outcomeOfAnswer } from '../../../nodes/MessagingService/api/retry';
import { toNodeError } from '../../../nodes/MessagingService/n8n/errors';
import { Problem } from '../../../nodes/MessagingService/words/problem';
import { response } from '../helpers/api';
import { nodeWith } from '../helpers/node';

const READ: FailedRequest = {
	method: 'GET',
	path: '/public/messages',
	repeat: 'idempotent',
	timeout: 60_000,
	origin: 'https://messaging.example.com:8443',
};
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
	[400, '', /did not accept the request$/, /^Check the values/],
	[400, says('Email exists.'), /did not accept the request: Email exists$/, /^Check the values/],
	[401, '', /does not accept the API key/, /team settings/],
	[
		401,
		says('Expired'),
		/accept the API key$/,
		/^The service says: "Expired"\. Check that the credential/,
	],
	[403, says('Not in your plan.'), /refused access: Not in your plan$/, /^Ask whoever manages/],
	[403, '<html></html>', /^A web page came back/, /a proxy or a firewall may be in front/],
	[404, says('No such contact.'), /not accept the request: No such contact$/, /and the base URL/],
	[408, '', /reported a server error/, /again later/],
	[499, '', /reported a server error/, /again later/],
	[429, says('Slow down'), /not accepting more requests/, /says: "Slow down".*Try again later/],
	[300, '', /redirect/, /base URL/],
	[500, '', /reported a server error/, /again later/],
])('status %i with %j says what happened and what to do', (status, text, message, description) => {
	const error = errorOf(READ, response(status, text));
	expect(error.message).toMatch(message);
	expect(error.description).toMatch(description);
	expect(error.description).toContain(`(Status ${status})`);
	expect(error.httpCode).toBe(String(status));
});

test('a redirect is told by the address that it leads to, without what may be secret behind it', () => {
	const answer = response(302, '', { location: 'https://login.example.com/session?token=abc' });
	expect(errorOf(READ, answer).description).toContain('It points to https://login.example.com. ');
});

test.each([
	[
		'unreachable',
		/cannot be reached at messaging\.example\.com:8443/,
		/Nothing was sent.*\(detail\)/,
	],
	['broken', /broke off/, /again later\. .*\(detail\)$/],
	['timeout', /within 60 seconds/, /longer "Timeout"/],
	// n8n takes an execution for canceled by this word.
	['cancelled', /canceled/, /^$/],
	['insecure', /could not be sent to messaging\.example\.com:8443/, /Nothing was sent.*\(detail\)/],
	['stalled', /not accepting more requests/, /accepted nothing for 15 minutes/],
	[
		'outage',
		/^No call gets through to messaging/,
		/^Nothing was sent\..*call failed with: detail\./,
	],
	['tooLarge', /is larger than detail$/, /Ask for less at a time/],
	[
		'foreignLink',
		/links to another address/,
		/goes on at detail\. The API key is sent only to the base URL/,
	],
] as const)(
	'no response, %s: says what happened and what to do',
	(reason, message, description) => {
		const error = errorOf(READ, noResponse(reason, 'detail'));
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
		expect(error.httpCode).toBeNull();
	},
);

test('status 401 of a request without the key is not about the key', () => {
	const error = errorOf({ ...WRITE, authenticate: false }, response(401));
	expect(`${error.message} ${error.description}`).not.toMatch(/API key/);
});

test('that a write may have had an effect is said where it may', () => {
	const [failed, refused] = [response(500), response(429)];
	expect(errorOf(WRITE, failed).description).toMatch(/^The service may have acted .* Check there/);
	expect(errorOf(WRITE, refused).description).not.toContain('may have acted');
	expect(errorOf(READ, failed).description).not.toContain('may have acted');
	// To try a write again later would be to do it twice.
	for (const answer of [failed, refused, noResponse('broken'), noResponse('timeout')])
		expect(errorOf(WRITE, answer).description).not.toContain('again later');
});

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
])('an answer that is not as promised is one: %j', (text, message, description) => {
	const error = errorOf(READ, unexpected(200, text));
	expect(error.message).toMatch(message);
	expect(error.description).toMatch(description);
	expect(errorOf(WRITE, unexpected(201, text)).description).toMatch(/may have acted/);
});

test.each<[number, object | undefined]>([
	[401, { cause: 'credential-invalid' }],
	[429, { cause: 'rate-limited', retryAfterMs: 7_000 }],
	[503, { cause: 'temporarily-unavailable' }],
	[400, undefined],
])('n8n itself is told what a status %i means', (status, failure) => {
	const error = errorOf(READ, response(status, '', { 'retry-after': '7' }));
	expect(Reflect.get(error, 'failure')).toEqual(failure);
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

describe('the words of the service', () => {
	const shownOf400 = (text: string) => errorOf(READ, response(400, text)).message;
	const REFUSED = 'The messaging service did not accept the request';

	test.each([
		['{"error":"Bad Request","message":"phone is invalid"}', 'phone is invalid'],
		['{"error":{"message":"Not found","code":7}}', 'Not found'],
		['{"errors":[{"message":"a"},{"detail":"b"},{}]}', 'a; b'],
		['{"code":42}', '{"code":42}'],
		['"only a text"', 'only a text'],
		['two\n  lines\t', 'two lines'],
		[JSON.stringify({ message: 'x'.repeat(10_000) }), `${'x'.repeat(300)}…`],
	])('in %j are %j', (text, words) => {
		expect(shownOf400(text)).toBe(`${REFUSED}: ${words}`);
	});

	test('are looked for in an answer of any depth', () => {
		const deep = `${'[{"error":'.repeat(10_000)}"no"${'}]'.repeat(10_000)}`;
		expect(shownOf400(deep)).toContain(REFUSED);
	});

	test('never make n8n take a failure for an execution that somebody has canceled', () => {
		const shown = shownOf400('Appointment canceled. CANCELED!');
		expect(shown).not.toMatch(/canceled/i);
		expect(shown).toMatch(/: Appointment cancelled\. CANCELLED!$/i);
	});

	test.each(['', '{}', '[{}]'])('are none in %j', (text) => {
		expect(shownOf400(text)).toBe(REFUSED);
	});
});

test('an outage does not say that nothing was sent where an earlier call may have been accepted', () => {
	const failure = new RequestFailure(WRITE, noResponse('outage', 'detail'), 'unknown');
	const { message, description } = toNodeError(nodeWith(), failure);
	expect(`${message}. ${description}`).not.toMatch(/not sent|nothing was sent/i);
	expect(description).toMatch(/^The service may have acted on the request anyway/);
});
