import { type IDataObject, type IWebhookFunctions, NodeOperationError } from 'n8n-workflow';
import { receive } from '../../../nodes/MessagingService/trigger/receive';
import { resetDeliveries } from '../../../nodes/MessagingService/memory/deliveries';
import { resetSecrets } from '../../../nodes/MessagingService/trigger/verification/secrets';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';

beforeEach(() => {
	resetSecrets();
	resetDeliveries();
});

interface Sent {
	headers?: Record<string, string>;
	query?: Record<string, string>;
	body?: IDataObject;
	ip?: string;
	/** The webhook secret by the time the call comes in. */
	secret?: string;
	unreadable?: Error;
	/** Whether somebody tries the trigger out. */
	test?: boolean;
}

/** The response to one call. */
class Answer {
	statusCode = 200;
	body?: unknown;
	writableEnded = false;

	status(code: number): this {
		this.statusCode = code;
		return this;
	}

	json(body: unknown): this {
		if (this.writableEnded) throw new Error('Cannot set headers after they are sent');
		this.body = body;
		this.writableEnded = true;
		return this;
	}

	send(body: unknown): this {
		return this.json(body);
	}
}

interface Result {
	status: number;
	body: unknown;
	log: string;
	json?: IDataObject;
	webhookResponse?: unknown;
	/** What n8n shows at the node. */
	error?: NodeOperationError;
}

/** What comes of a call: the items that start the workflow, or the answer; and what the log or the editor says. */
async function call(parameters: IDataObject, sent: Sent = {}): Promise<Result> {
	const {
		headers = { 'x-webhook-secret': 's3' },
		query = {},
		body = { id: 1 },
		secret = 's3',
	} = sent;
	const log: string[] = [];
	const response = new Answer();
	const readRawBody = async () => {
		if (sent.unreadable) throw sent.unreadable;
	};
	const rawBody = Buffer.from(JSON.stringify(body));
	const staticData: IDataObject = {};
	const result = await receive(
		fake<IWebhookFunctions>({
			getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
			getNode: () => nodeWith(),
			getWorkflow: () => ({ id: 'w' }),
			getWorkflowStaticData: () => staticData,
			getNodeWebhookUrl: () => 'https://n8n.example.com/webhook/w',
			getCredentials: async () => ({ webhookSecret: secret }),
			getRequestObject: () => ({ headers, query, body, rawBody, readRawBody, ip: sent.ip }),
			getResponseObject: () => response,
			getMode: () => (sent.test ? 'manual' : 'webhook'),
			logger: { info: (text: string) => log.push(text), warn: (text: string) => log.push(text) },
		}),
	).catch((error: unknown) => {
		if (!(error instanceof NodeOperationError)) throw error;
		return { error };
	});
	const given = { status: response.statusCode, body: response.body, log: log.join() };
	// n8n answers an error itself, too.
	if ('error' in result) response.status(500).json({ message: 'Error' });
	if ('error' in result) return { ...given, error: result.error };
	const { workflowData, noWebhookResponse, webhookResponse } = result;
	expect(noWebhookResponse).toBe(response.writableEnded ? true : undefined);
	// n8n answers in our place, and lets us know by asking what with.
	response.writableEnded = true;
	return { ...given, json: workflowData?.[0][0]?.json, webhookResponse };
}

/** The same while somebody tries the trigger out. */
const callTest = async (parameters: IDataObject, sent: Sent = {}) =>
	await call(parameters, { ...sent, test: true });

test('an event that passes starts the workflow', async () => {
	for (const result of [await call({}), await callTest({})])
		expect(result).toEqual({ json: { id: 1 }, status: 200, log: '' });
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
	[
		'with a condition without a field',
		{ filters: { conditions: { values: [{ value: '1' }] } } },
		{},
		/A condition has no field/,
	],
	['with a filter without a value', { filters: { inboxIds: '' } }, {}, /"Inboxes" has no inbox/],
	['with a switch that is neither', { ignoreOutbound: 'x' }, {}, /"Ignore Outbound" is neither/],
	['with an unreadable list', { options: { allowedAddresses: 'x' } }, {}, /"Allowed Addresses"/],
])('a call %s is refused', async (_what, parameters, sent, reason) => {
	const { json, status, body, log } = await call(parameters, sent);
	expect({ json, status, body }).toEqual({ status: 401, body: { message: 'Unauthorized' } });
	expect(log).toMatch(/^A call was refused: /);
	expect(log).toMatch(reason);
});

test('an unwanted event is accepted, and starts nothing', async () => {
	const options = { responseBody: 'thanks' };
	const { json, body, webhookResponse, log } = await call({ events: ['a'], options });
	expect({ json, body, webhookResponse }).toEqual({ webhookResponse: 'thanks' });
	expect(log).toContain('An event does not start the workflow: it has no field "event"');
});

test('a new secret counts at once, and the one before no more', async () => {
	await call({});
	expect((await call({}, { headers: {} })).status).toBe(401);
	const changed = { secret: 'new', headers: { 'x-webhook-secret': 'new' }, body: { id: 2 } };
	expect((await call({}, changed)).json).toEqual({ id: 2 });
	expect((await call({}, { secret: 'new' })).status).toBe(401);
});

test.each<[string, IDataObject, object]>([
	['a header', {}, { 'x-webhook-secret': 's3' }],
	['the query', { secretIn: 'query' }, { 'x-other': 'a' }],
])('the full request is put out without the secret in %s', async (_where, parameters, sent) => {
	const headers = { ...sent, 'x-other': 'a' };
	const options = { fullRequest: true };
	const { json } = await call({ ...parameters, options }, { headers, query: { secret: 's3' } });
	expect(json).toEqual({ headers: { 'x-other': 'a' }, query: {}, body: { id: 1 } });
});

test('the full request has no header and no parameter that carries a secret', async () => {
	const options = { fullRequest: true };
	const address = '/webhook/a?secret=s3&b=1';
	const carrying = {
		'x-webhook-secret': 's3',
		referer: `https://n8n.example.com${address}`,
		'x-original-uri': encodeURIComponent(address),
		'x-s3': 'a',
	};
	const headers = { ...carrying, 'content-type': 'application/json', 'x-id': 'ms3d' };
	const query = { b: '1', again: 's3' };
	const { json } = await call({ options }, { headers, query });
	expect(json).toEqual({
		headers: { 'content-type': 'application/json', 'x-id': 'ms3d' },
		query: { b: '1' },
		body: { id: 1 },
	});
});

test('no secret is in the log, nor in what is shown while the trigger is tried out', async () => {
	const refused = { headers: { 's3-secret': 'wrong' } };
	const { log } = await call({}, refused);
	expect(log).toContain('these headers came: [hidden]-secret');
	const { error } = await callTest({}, refused);
	expect(error?.message).toContain('these headers came: [hidden]-secret');
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

describe('while the trigger is tried out', () => {
	const AGAIN = ' To wait for the next call, select "Execute step" again.';

	test('a call that is refused shows why, and gets the usual answer', async () => {
		const { error, status, body } = await callTest({}, { headers: {} });
		expect({ status, body }).toEqual({ status: 401, body: { message: 'Unauthorized' } });
		expect(error?.message).toMatch(/^The call was refused: no secret in the header/);
		expect(error?.description).toMatch(/^Compare what your service sends with/);
		expect(error?.description?.endsWith(AGAIN)).toBe(true);
	});

	test('a setting that cannot be used shows what is to be done', async () => {
		const { error } = await callTest({ options: { allowedAddresses: 'x' } });
		expect(error?.message).toContain('"Allowed Addresses" has an entry that is no IP address');
		expect(error?.description).toMatch(/^Enter addresses such as/);
	});

	test('a body that cannot be read shows that', async () => {
		const unreadable = Object.assign(new Error('unreadable'), { statusCode: 413 });
		const { error, status } = await callTest({}, { unreadable });
		expect(status).toBe(413);
		expect(error?.message).toBe('The call was refused: its body cannot be read');
	});

	test.each<[IDataObject, number, unknown]>([
		[{}, 200, { message: 'Webhook call received' }],
		[{ responseCode: 202, responseBody: '{"ok":1}' }, 202, { ok: 1 }],
		[{ responseBody: 'thanks' }, 200, 'thanks'],
	])('an event that is left out shows why, and is answered with %j', async (options, ...answer) => {
		const { error, status, body } = await callTest(
			{ events: ['a'], options },
			{ body: { event: 'b' } },
		);
		expect([status, body]).toEqual(answer);
		expect(error?.message).toBe(
			'The event does not start the workflow: it is called "b", and "Events" lists "a"',
		);
		expect(error?.description).toBe(
			`To have it start the workflow, add its name to "Events".${AGAIN}`,
		);
	});

	test('the same event starts the workflow as often as it comes', async () => {
		for (let i = 0; i < 2; i++) expect((await callTest({})).json).toEqual({ id: 1 });
		expect((await call({})).json).toEqual({ id: 1 });
	});
});

describe('the same delivery again', () => {
	test('starts nothing, and is answered as the first one', async () => {
		const options = { responseBody: 'thanks' };
		const first = await call({ options });
		const second = await call({ options });
		expect(first).toMatchObject({ json: { id: 1 }, webhookResponse: 'thanks' });
		expect(second).toEqual({
			status: 200,
			webhookResponse: 'thanks',
			log: 'An event does not start the workflow: it was delivered before',
		});
	});

	test('starts the workflow where that is wanted, or nothing tells that it is the same', async () => {
		for (let i = 0; i < 2; i++) {
			expect((await call({ skipDuplicates: false })).json).toBeDefined();
			expect((await call({}, { body: { text: 'hello' } })).json).toBeDefined();
		}
	});
});
