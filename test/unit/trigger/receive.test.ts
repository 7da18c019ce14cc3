import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { receive, TriggerState } from '../../../nodes/MessagingService/trigger/receive';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';
import { VirtualClock } from '../helpers/virtualClock';
import { parametersWith } from './panel';

/** Each test has a process of its own, to which nothing has been delivered. */
let clock: VirtualClock;
let state: TriggerState;
beforeEach(() => {
	clock = new VirtualClock();
	state = new TriggerState(clock);
});

interface Sent {
	headers?: Record<string, string>;
	query?: Record<string, string>;
	body?: IDataObject | IDataObject[];
	/** The node of the workflow that the call comes to. */
	node?: string;
	/** The webhook secret by the time the call comes in. */
	secret?: string;
	/** Reads the credential in n8n's place. */
	getCredentials?: () => Promise<IDataObject>;
	/** Reads the body in n8n's place. */
	readRawBody?: () => Promise<void>;
	/** Whether somebody tries the trigger out. */
	isTest?: boolean;
}

/** What comes of a call: the items that start the workflow, the answer, and what the log or the editor says. */
async function call(parameters: IDataObject, sent: Sent = {}) {
	const { headers = { 'x-webhook-secret': 's3' }, query = {}, body = { id: 1 } } = sent;
	const { node: id = 'trigger', secret = 's3' } = sent;
	const { getCredentials = async () => ({ webhookSecret: secret }) } = sent;
	const { readRawBody = async () => {} } = sent;
	const log: string[] = [];
	const write = (words: string) => void log.push(words);
	const answer = { writableEnded: false, statusCode: 200, body: undefined as unknown };
	const response = Object.assign(answer, {
		status: (statusCode: number) => Object.assign(response, { statusCode }),
		json: (content: unknown) => Object.assign(response, { body: content, writableEnded: true }),
	});
	const context = fake<IWebhookFunctions>({
		getNodeParameter: (name: string) => parametersWith(parameters)[name],
		// A credential with another secret is another credential, since one is read once a second.
		getNode: () => ({
			...nodeWith(),
			...{ id, credentials: { messagingServiceApi: { id: secret, name: '' } } },
		}),
		getWorkflow: () => ({ id: 'workflow' }),
		getTimezone: () => 'UTC',
		getCredentials,
		getRequestObject: () => ({
			...{ contentType: 'application/json', readRawBody },
			...{ headers, query, body, rawBody: Buffer.from(JSON.stringify(body)) },
		}),
		getResponseObject: () => response,
		getMode: () => (sent.isTest ? 'manual' : 'webhook'),
		logger: { info: write, warn: write },
	});
	const result = await clock.run(receive(context, state));
	expect(result.noWebhookResponse).toBe(response.writableEnded ? true : undefined);
	const { statusCode: status, body: content } = response;
	// n8n answers in our place.
	response.writableEnded = true;
	const items = result.workflowData?.[0].map(({ json }) => json);
	const { webhookResponse } = result;
	return { status, body: content, log: log.join('\n'), items, webhookResponse };
}

const fail = async () => await Promise.reject(new Error('no such thing'));

test.each<[string, IDataObject, Sent, RegExp]>([
	['a credential that cannot be read', {}, { getCredentials: fail }, /no such/],
	['a credential without a secret', {}, { secret: '' }, /Enter a "Webhook Secret"/],
	['an unknown verification', { verification: 'all' }, {}, /"Verification" has an unknown/],
	['a filter that gives nothing', { events: null }, {}, /"Events" has an entry without a name/],
])('%s is answered with 500, so that the service delivers again', async (...row) => {
	const [, parameters, sent, reason] = row;
	const { items, status, body, log } = await call(parameters, sent);
	expect({ items, status, body }).toEqual({
		status: 500,
		body: { message: 'The call could not be handled' },
	});
	expect(log).toMatch(/^A call could not be handled: /);
	expect(log).toMatch(reason);
	// Nothing is remembered as delivered.
	await clock.run(clock.wait(1));
	expect((await call({})).items).toEqual([{ id: 1 }]);
});

test('a body that n8n cannot read is answered with 400', async () => {
	const { status, log } = await call({}, { readRawBody: fail });
	expect(status).toBe(400);
	expect(log).toMatch(/^The call was refused: the body is too large, /);
});

test('calls of about a second share a reading of the credential; one that fails serves no later call', async () => {
	const getCredentials = jest.fn(async () => ({ webhookSecret: 's3' }));
	getCredentials.mockImplementationOnce(fail);
	expect((await call({}, { getCredentials })).status).toBe(500);
	for (const milliseconds of [900, 200, 0]) {
		expect((await call({}, { getCredentials })).status).toBe(200);
		await clock.run(clock.wait(milliseconds));
	}
	expect(getCredentials).toHaveBeenCalledTimes(3);
});

test('the full request has no header and no parameter that carries a secret', async () => {
	const address = '/webhook/a?secret=s3&b=1';
	const carrying = {
		'x-webhook-secret': 's3',
		referer: `https://n8n.example.com${address}`,
		'x-original-uri': encodeURIComponent(address),
		'x-s3': 'a',
	};
	const headers = { ...carrying, 'content-type': 'application/json', 'x-id': 'ms3d' };
	const query = { b: '1', again: 's3' };
	const { items } = await call({ options: { fullRequest: true } }, { headers, query });
	expect(items).toEqual([
		{
			headers: { 'content-type': 'application/json', 'x-id': 'ms3d' },
			query: { b: '1' },
			body: { id: 1 },
		},
	]);
});

test('no secret is in the log, nor in what is shown while the trigger is tried out', async () => {
	const refused = { headers: { 's3-secret': 'wrong' } };
	const words = 'other headers received: [hidden]-secret';
	expect((await call({}, refused)).log).toContain(words);
	await expect(call({}, { ...refused, isTest: true })).rejects.toThrow(words);
	const skipped = await call({ events: ['a'] }, { body: { event: 'of s3' } });
	expect(skipped.log).toContain('it is called "of [hidden]"');
});

test('of a batch, each event is filtered, told from others and put out by itself', async () => {
	const options = { deliveryField: 'id' };
	const body = [
		{ id: 1, inbound: true },
		{ id: 2, inbound: false },
		{ id: 3, event: 'other' },
		...[{ id: 4 }, { id: 4 }, { text: 'no ID' }],
	];
	const { items, log } = await call({ events: ['a'], options }, { body });
	expect(items).toEqual([body[0], body[3], body[5]]);
	for (const reason of ['"inbound" says', 'it is called "other"', 'delivered before'])
		expect(log).toContain(reason);
	const again = await call({ options }, { body: [...body, { id: 5 }] });
	expect(again.items).toEqual([{ id: 3, event: 'other' }, { text: 'no ID' }, { id: 5 }]);
	const many = Array.from({ length: 100 }, (_, index) => ({ event: `e${index}` }));
	// One entry for all of them, which does not fill the log.
	expect((await call({ events: ['a'] }, { body: many })).log).toMatch(/^An event .{900,1100}…$/);
});

test('the same delivery again starts nothing, and is answered as the first one', async () => {
	for (const node of ['first', 'second'])
		expect(await call({}, { node })).toMatchObject({ items: [{ id: 1 }], webhookResponse: '' });
	expect(await call({}, { node: 'first' })).toEqual({
		status: 200,
		webhookResponse: '',
		log: 'An event does not start the workflow: it was delivered before',
	});
	expect((await call({ skipDuplicates: false }, { node: 'first' })).items).toEqual([{ id: 1 }]);
	expect((await call({}, { node: 'first', isTest: true })).items).toEqual([{ id: 1 }]);
});
