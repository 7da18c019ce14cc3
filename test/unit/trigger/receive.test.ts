import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type IDataObject, type IWebhookFunctions, NodeOperationError } from 'n8n-workflow';
import { receive } from '../../../nodes/MessagingService/trigger/receive';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';

/** Each test has a workflow of its own, to which nothing has been delivered. */
let workflowId: string;
beforeEach(() => {
	workflowId = randomUUID();
});

interface Sent {
	headers?: Record<string, string>;
	query?: Record<string, string>;
	body?: IDataObject | IDataObject[];
	/** The webhook secret by the time the call comes in. */
	secret?: string;
	/** What keeps n8n from reading the credential. */
	broken?: Error;
	/** Whether n8n cannot read the body. */
	unreadable?: boolean;
	/** Whether somebody tries the trigger out. */
	test?: boolean;
}

/** The response to one call. */
class Answer extends EventEmitter {
	statusCode = 200;
	body?: unknown;
	writableEnded = false;
	destroyed = false;

	status(code: number): this {
		this.statusCode = code;
		return this;
	}

	json(body: unknown): this {
		if (this.writableEnded) throw new Error('Cannot set headers after they are sent');
		this.body = body;
		this.end();
		return this;
	}

	end(): void {
		this.writableEnded = true;
		this.emit('finish');
	}

	send(body: unknown): this {
		return this.json(body);
	}
}

interface Result {
	status: number;
	body: unknown;
	log: string;
	/** The first of the items that start the workflow. */
	json?: IDataObject;
	items?: IDataObject[];
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
	const rawBody = Buffer.from(JSON.stringify(body));
	const result = await receive(
		fake<IWebhookFunctions>({
			getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
			// A credential with another secret is another credential, since one is read once a second.
			getNode: () => ({
				...nodeWith(),
				credentials: { messagingServiceApi: { id: secret, name: '' } },
			}),
			getWorkflow: () => ({ id: workflowId }),
			getCredentials: async () => {
				if (sent.broken) throw sent.broken;
				return { webhookSecret: secret };
			},
			getRequestObject: () => ({
				contentType: 'application/json',
				readRawBody: async () => {
					if (sent.unreadable) throw new Error('incorrect header check');
				},
				...{ headers, query, body, rawBody },
			}),
			getResponseObject: () => response,
			getMode: () => (sent.test ? 'manual' : 'webhook'),
			logger: { info: (text: string) => log.push(text), warn: (text: string) => log.push(text) },
		}),
	).catch((error: unknown) => {
		if (!(error instanceof NodeOperationError)) throw error;
		return { error };
	});
	const given = { status: response.statusCode, body: response.body, log: log.join() };
	// n8n answers an error itself.
	if ('error' in result) response.status(500).json({ message: 'Error' });
	if ('error' in result) return { ...given, error: result.error };
	const { workflowData, noWebhookResponse, webhookResponse } = result;
	expect(noWebhookResponse).toBe(response.writableEnded ? true : undefined);
	// n8n answers in our place.
	response.end();
	const items = workflowData?.[0].map(({ json }) => json);
	return { ...given, ...(items && { json: items[0], items }), webhookResponse };
}

/** The same while somebody tries the trigger out. */
const callTest = async (parameters: IDataObject, sent: Sent = {}) =>
	await call(parameters, { ...sent, test: true });

test.each<[string, IDataObject, Sent, RegExp]>([
	['a credential that cannot be read', {}, { broken: new Error('no such credential') }, /no such/],
	['a credential without a secret', {}, { secret: '' }, /Enter a "Webhook Secret"/],
	['an unknown verification', { verification: 'all' }, {}, /"Verification" has an unknown/],
	['a filter without a value', { filters: { inboxIds: '' } }, {}, /"Inboxes" names no inbox/],
])('%s is answered with 500, so that the service delivers again', async (...row) => {
	const [, parameters, sent, reason] = row;
	const { json, status, body, log } = await call(parameters, sent);
	expect({ json, status, body }).toEqual({
		status: 500,
		body: { message: 'The call could not be handled' },
	});
	expect(log).toMatch(/^A call could not be handled: /);
	expect(log).toMatch(reason);
	// Nothing is remembered as delivered.
	expect((await call({})).json).toEqual({ id: 1 });
});

test('a body that n8n cannot read is answered with 400, after the secret was looked at', async () => {
	expect(await call({}, { unreadable: true })).toMatchObject({ status: 400 });
	const headers = { 'x-webhook-secret': 'other' };
	expect(await call({}, { unreadable: true, headers })).toMatchObject({ status: 401 });
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
	expect(log).toContain('other headers that came: [hidden]-secret');
	const { error } = await callTest({}, refused);
	expect(error?.message).toContain('other headers that came: [hidden]-secret');
});

test('of a batch, each event is filtered, told from others and put out by itself', async () => {
	const options = { deliveryField: 'id' };
	const body = [
		{ id: 1, inbound: true },
		{ id: 2, inbound: false },
		{ id: 3, event: 'other' },
		{ id: 4 },
		{ id: 4 },
		{ text: 'no ID' },
	];
	const { items, log } = await call({ events: ['a'], options }, { body });
	expect(items).toEqual([body[0], body[3], body[5]]);
	expect(log.match(/does not start/g)).toHaveLength(3);
	const again = await call({ options }, { body: [...body, { id: 5 }] });
	expect(again.items).toEqual([{ id: 3, event: 'other' }, { text: 'no ID' }, { id: 5 }]);
	const full = await call({ options: { fullRequest: true } }, { body: [{ id: 6 }, { id: 7 }] });
	expect(full.items).toMatchObject([{ query: {}, body: { id: 6 } }, { body: { id: 7 } }]);
});

test('the same delivery again starts nothing, and is answered as the first one', async () => {
	const options = { responseBody: 'thanks' };
	const first = await call({ options });
	const second = await call({ options });
	expect(first).toMatchObject({ json: { id: 1 }, webhookResponse: 'thanks' });
	expect(second).toMatchObject({
		status: 200,
		webhookResponse: 'thanks',
		log: 'An event does not start the workflow: it was delivered before',
	});
	expect(second.items).toBeUndefined();
	expect((await call({ skipDuplicates: false })).json).toBeDefined();
});
