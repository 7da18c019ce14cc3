import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { receive } from '../../../nodes/MessagingService/trigger/receive';
import { resetSecrets } from '../../../nodes/MessagingService/trigger/verification/secret';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';

beforeEach(resetSecrets);

interface Sent {
	headers?: Record<string, string>;
	query?: Record<string, string>;
	body?: IDataObject;
	ip?: string;
	/** The webhook secret by the time the call comes in. */
	secret?: string;
	unreadable?: Error;
}

/** What comes of a call: the items that start the workflow, or the status and the reason of a refusal. */
async function call(parameters: IDataObject, sent: Sent = {}) {
	const {
		headers = { 'x-webhook-secret': 's3' },
		query = {},
		body = { id: 1 },
		secret = 's3',
	} = sent;
	const log: string[] = [];
	let status: number | undefined;
	const response = { status: (code: number) => ((status = code), response), json: () => response };
	const readRawBody = async () => {
		if (sent.unreadable) throw sent.unreadable;
	};
	const rawBody = Buffer.from(JSON.stringify(body));
	const { workflowData, noWebhookResponse } = await receive(
		fake<IWebhookFunctions>({
			getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
			getNode: () => nodeWith(),
			getWorkflow: () => ({ id: 'w' }),
			getCredentials: async () => ({ webhookSecret: secret }),
			getRequestObject: () => ({ headers, query, body, rawBody, readRawBody, ip: sent.ip }),
			getResponseObject: () => response,
			getMode: () => 'manual',
			logger: { info: (text: string) => log.push(text), warn: (text: string) => log.push(text) },
		}),
	);
	expect(noWebhookResponse).toBe(status === undefined ? undefined : true);
	return { json: workflowData?.[0][0]?.json, status, log: log.join() };
}

test('an event that passes starts the workflow', async () => {
	expect(await call({})).toEqual({ json: { id: 1 }, status: undefined, log: '' });
});

test.each<[string, IDataObject, Sent, RegExp]>([
	['without the secret', {}, { headers: {} }, /no secret in the header/],
	['without a secret in the credential', {}, { secret: '' }, /no webhook secret/],
	[
		'from another address',
		{ options: { allowedAddresses: '192.0.2.1' } },
		{ ip: '192.0.2.2' },
		/192\.0\.2\.2 is not allowed/,
	],
	['with an unknown verification', { verification: 'all' }, {}, /"Verification" has an unknown/],
	[
		'with an unknown algorithm',
		{ verification: 'signature', signature: { algorithm: 'md5' } },
		{},
		/"Algorithm" has an unknown value: "md5"/,
	],
	[
		'with an unknown comparison',
		{ filters: { conditions: { values: [{ field: 'id', comparison: 'like', value: '1' }] } } },
		{},
		/"Comparison" has an unknown/,
	],
	['with an unreadable list', { options: { allowedAddresses: 'x' } }, {}, /"Allowed Addresses"/],
])('a call %s is refused', async (_what, parameters, sent, reason) => {
	const { json, status, log } = await call(parameters, sent);
	expect({ json, status }).toEqual({ json: undefined, status: 401 });
	expect(log).toMatch(/^A call was refused: /);
	expect(log).toMatch(reason);
});

test('an unwanted event is accepted, and starts nothing', async () => {
	const { json, status, log } = await call({ events: ['a'] });
	expect({ json, status }).toEqual({ json: undefined, status: undefined });
	expect(log).toContain('An event does not start the workflow: it has no event name');
});

test('a new secret counts for a call that fails with the one before', async () => {
	const clock = jest.spyOn(Date, 'now');
	clock.mockReturnValue(1_000_000);
	await call({});
	const changed = { secret: 'new', headers: { 'x-webhook-secret': 'new' } };
	expect((await call({}, changed)).status).toBe(401);
	clock.mockReturnValue(1_001_000);
	expect((await call({}, changed)).json).toEqual({ id: 1 });
	expect((await call({}, { secret: 'new' })).status).toBe(401);
	clock.mockRestore();
});

test.each<[string, IDataObject, object]>([
	['a header', {}, { headers: { 'x-other': 'a' }, query: { secret: 's3' } }],
	[
		'the query',
		{ secretIn: 'query' },
		{ headers: { 'x-other': 'a', 'x-webhook-secret': 's3' }, query: {} },
	],
])('the full request is put out without the secret in %s', async (_where, parameters, rest) => {
	const headers = { 'x-other': 'a', 'x-webhook-secret': 's3' };
	const options = { fullRequest: true };
	const { json } = await call({ ...parameters, options }, { headers, query: { secret: 's3' } });
	expect(json).toEqual({ ...rest, body: { id: 1 } });
});

test.each([
	[{ statusCode: 413 }, 413],
	[{ httpStatusCode: 422 }, 422],
	[{ statusCode: 500 }, 400],
	[{}, 400],
])(
	'a body that cannot be read is answered with the status of the error: %j',
	async (more, status) => {
		const unreadable = Object.assign(new Error('unreadable'), more);
		expect(await call({}, { unreadable })).toMatchObject({ json: undefined, status });
	},
);
