import type { IDataObject, INodeParameters, IWebhookFunctions } from 'n8n-workflow';
import {
	answerAddressCheck,
	answerChallenge,
} from '../../../nodes/MessagingService/trigger/addressCheck';
import {
	methods,
	readAddressCheck,
} from '../../../nodes/MessagingService/trigger/addressCheck/settings';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';
import { panelWith, problemOf } from './panel';

const TOKEN = 'a-verify-token';

interface Call {
	query?: Record<string, unknown>;
	/** POST comes to the webhook for events, everything else to the one for checks. */
	webhook?: 'default' | 'setup';
	ip?: string;
	verifyToken?: unknown;
}

/** What n8n hands to the trigger, and how the caller is answered. */
function contextOf(
	parameters: IDataObject,
	{ query = {}, webhook = 'setup', ip, verifyToken = TOKEN }: Call,
) {
	const answer: { status?: number; headers: object; type?: string; body?: unknown } = {
		headers: {},
	};
	const log: string[] = [];
	const response = {
		status: (status: number) => Object.assign(response, void (answer.status = status)),
		set: (headers: object) => Object.assign(response, void (answer.headers = headers)),
		type: (type: string) => Object.assign(response, void (answer.type = type)),
		send: (body: unknown) => void (answer.body = body),
		json: (body: unknown) => void Object.assign(answer, { body, type: 'application/json' }),
	};
	const context = fake<IWebhookFunctions>({
		getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
		getWebhookName: () => webhook,
		getQueryData: () => query,
		getRequestObject: () => ({ ip }),
		getResponseObject: () => response,
		getCredentials: async () => ({ verifyToken }),
		getNode: () => nodeWith(),
		getWorkflow: () => ({ id: 'w' }),
		logger: { info: (text: string) => log.push(text), warn: (text: string) => log.push(text) },
	});
	return { context, answer, log };
}

async function call(parameters: IDataObject, sent: Call = {}) {
	const { context, answer, log } = contextOf(parameters, sent);
	const result = await answerAddressCheck(context);
	expect(result).toEqual(answer.status === undefined ? undefined : { noWebhookResponse: true });
	expect(log.join()).not.toContain(TOKEN);
	return { ...answer, log: log.join() };
}

const META = {
	'hub.mode': 'subscribe',
	'hub.verify_token': TOKEN,
	'hub.challenge': '1158201444',
};
const query = { addressCheck: 'query' };

describe('a challenge in the query', () => {
	test('is sent back as plain text that no browser takes for a page', async () => {
		const { status, type, body, headers } = await call(query, { query: META });
		expect({ status, type, body }).toEqual({ status: 200, type: 'text/plain', body: '1158201444' });
		expect(headers).toMatchObject({
			'X-Content-Type-Options': 'nosniff',
			'Content-Security-Policy': expect.stringContaining('sandbox'),
		});
	});

	test('is sent back as JSON, if wanted', async () => {
		const { body, type, headers } = await call(
			{ ...query, challengeAnswer: 'json' },
			{ query: META },
		);
		expect(body).toEqual({ 'hub.challenge': '1158201444' });
		expect(type).toBe('application/json');
		expect(headers).toMatchObject({ 'X-Content-Type-Options': 'nosniff' });
	});

	test('may have other names, and come with POST', async () => {
		const names = {
			...query,
			challengeParameter: 'validationToken',
			verifierParameter: 'state',
		};
		const sent: Call = { query: { validationToken: 'a b', state: TOKEN }, webhook: 'default' };
		expect(await call(names, sent)).toMatchObject({ status: 200, body: 'a b' });
	});

	test('needs no token where neither the service nor the credential has one', async () => {
		const sent = { query: { 'hub.challenge': 'x' } };
		for (const verifyToken of ['', '  ', null, 5]) {
			expect(await call(query, { ...sent, verifyToken })).toMatchObject({
				status: 200,
				body: 'x',
			});
		}
	});

	test.each<[string, Call, number, RegExp]>([
		[
			'another token',
			{ query: { ...META, 'hub.verify_token': `${TOKEN}x` } },
			401,
			/its verify token is not that of the credential/,
		],
		['no token', { query: { 'hub.challenge': 'x' } }, 401, /it has no verify token in "hub\./],
		[
			'several tokens',
			{ query: { ...META, 'hub.verify_token': [TOKEN, TOKEN] } },
			401,
			/it has no verify token/,
		],
		[
			'a token although the credential has none',
			{ query: META, verifyToken: '' },
			401,
			/the credential has none/,
		],
		['another mode', { query: { ...META, 'hub.mode': 'unsubscribe' } }, 401, /not "subscribe"/],
		['no challenge', { query: { 'hub.verify_token': TOKEN } }, 400, /no challenge in "hub\./],
		[
			'several challenges',
			{ query: { ...META, 'hub.challenge': ['a', 'b'] } },
			400,
			/no challenge/,
		],
		['an empty challenge', { query: { ...META, 'hub.challenge': '' } }, 400, /no challenge/],
		[
			'a long challenge',
			{ query: { ...META, 'hub.challenge': 'x'.repeat(1_001) } },
			400,
			/more than 1000 characters/,
		],
	])('is not sent back with %s', async (_what, sent, status, reason) => {
		const { body, log, ...answer } = await call(query, sent);
		expect(answer.status).toBe(status);
		expect(body).toEqual({ message: expect.stringMatching(/^(Unauthorized|No valid challenge)$/) });
		expect(log).toMatch(reason);
	});

	test('is not sent back to an address that may not call', async () => {
		const parameters = { ...query, options: { allowedAddresses: '192.0.2.1' } };
		expect(await call(parameters, { query: META, ip: '192.0.2.2' })).toMatchObject({
			status: 401,
			log: expect.stringContaining('192.0.2.2 is not allowed'),
		});
		expect(await call(parameters, { query: META, ip: '192.0.2.1' })).toMatchObject({ status: 200 });
	});
});

describe('a plain check', () => {
	test('is answered', async () => {
		expect(await call({ addressCheck: 'any' })).toMatchObject({ status: 200, body: 'OK' });
		const sent = { query: { challenge: '<script>' } };
		expect(await call({ addressCheck: 'any' }, sent)).toMatchObject({ body: 'OK' });
	});

	test.each<[string, IDataObject]>([
		['it is off', {}],
		['the challenge is in the body', { addressCheck: 'body' }],
		['the setting is unknown', { addressCheck: 'all' }],
		['another setting cannot be used', { addressCheck: 'any', verification: 'all' }],
	])('is refused when %s', async (_what, parameters) => {
		expect((await call(parameters)).status).toBe(401);
	});
});

test.each<[string, IDataObject, Call]>([
	['it is off', {}, { query: META }],
	['only GET and HEAD are checks', { addressCheck: 'any' }, { query: META }],
	['there is no challenge', query, { query: { other: '1' } }],
	['the setting is unknown', { addressCheck: 'all' }, { query: META }],
])('a POST request is left to what handles events when %s', async (_what, parameters, sent) => {
	expect((await call(parameters, { ...sent, webhook: 'default' })).status).toBeUndefined();
});

describe('a challenge in the body', () => {
	const answerTo = (parameters: IDataObject, body: IDataObject) => {
		const { context, answer } = contextOf(parameters, { webhook: 'default' });
		const check = readAddressCheck(panelWith({ addressCheck: 'body', ...parameters }));
		const result = answerChallenge(context, check, body);
		expect(result).toEqual(answer.status === undefined ? undefined : { noWebhookResponse: true });
		return answer;
	};

	test.each<[string, IDataObject, IDataObject, unknown]>([
		['of Slack', {}, { token: 'x', challenge: '3eZbrw1a', type: 'url_verification' }, '3eZbrw1a'],
		['in a part', { challengeField: 'data.code' }, { data: { code: 7 } }, '7'],
		['as JSON', { challengeAnswer: 'json' }, { challenge: 7 }, { challenge: 7 }],
	])('%s is sent back', (_what, parameters, body, expected) => {
		expect(answerTo(parameters, body)).toMatchObject({ status: 200, body: expected });
	});

	test('that is too long is not sent back', () => {
		expect(answerTo({}, { challenge: 'x'.repeat(1_001) }).status).toBe(400);
	});

	test.each<[string, IDataObject, IDataObject]>([
		['has none', {}, { event: 'a' }],
		['has something else there', {}, { challenge: { a: 1 } }],
		['has an empty one', {}, { challenge: '' }],
		['has one, but the check is off', { addressCheck: 'off' }, { challenge: 'x' }],
		['has one, but it comes in the query', { addressCheck: 'query' }, { challenge: 'x' }],
	])('a body that %s is an event', (_what, parameters, body) => {
		expect(answerTo(parameters, body).status).toBeUndefined();
	});
});

test('an unknown setting is named', () => {
	const { message } = problemOf(() => readAddressCheck(panelWith({ addressCheck: 'all' })));
	expect(message).toBe('"Address Check" has an unknown value: "all"');
});

test.each<[unknown, string]>([
	['any', 'GET,HEAD'],
	['query', 'GET'],
	['body', ''],
	['off', ''],
	[undefined, ''],
])('n8n lets through what the check %j needs, in both ways to say so', (addressCheck, expected) => {
	const { httpMethod } = methods;
	const template = String(httpMethod).slice('={{'.length, -'}}'.length);
	const evaluate = new Function('$parameter', `return ${template}`);
	expect(evaluate({ addressCheck })).toBe(expected);
	const [symbol] = Object.getOwnPropertySymbols(methods);
	const resolvers = symbol && Reflect.get(methods, symbol);
	const resolve: (parameters: INodeParameters) => unknown = resolvers.httpMethod.resolve;
	expect(resolve({ addressCheck } as INodeParameters)).toBe(expected);
});
