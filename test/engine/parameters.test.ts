import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { inboxId } from '../../sandbox/service/seed.ts';
import type { Service } from '../../sandbox/service/service.ts';
import { onlyRequest, run, startQuietly, wordsOf, type NodeOperation } from './service.ts';
import { byId, known } from './writes.ts';

const WEBHOOK = { webhookId: byId(known.webhookId) };
const VERSION = { pipelineId: known.pipelineId, schema: '{"nodes": []}' };

let service: Service;
beforeAll(async () => {
	service = await startQuietly();
});
beforeEach(() => service.reset('log'));
afterAll(() => service.close());

test('an empty schema is refused before it is sent', async () => {
	const { error } = await run(service, 'pipelineVersion.create', { ...VERSION, schema: ' {} ' });
	expect(error?.message).toBe('"Schema" is empty');
	expect(error?.description).toContain('nothing was sent');
	expect(service.received()).toHaveLength(0);
});

describe('the webhook', () => {
	const address = (base: string, more = '') =>
		`${base}/public/pipelines/webhook/${known.webhookId}${more}`;

	test.each(['id', 'url'])('of another host is called with a hint, mode "%s"', async (mode) => {
		const webhookId = { __rl: true, mode, value: '={{ $json.webhook }}' };
		const input = [{ webhook: address('https://messaging.example.com', '?source=builder#top') }];
		const parameters = { webhookId, phone: '+15555550100' };
		const { error, hints } = await run(service, 'pipeline.invokeWebhook', parameters, { input });
		expect(error).toBeUndefined();
		expect(hints).toEqual([expect.stringContaining('messaging.example.com')]);
		expect(onlyRequest(service).path).toBe(`/public/pipelines/webhook/${known.webhookId}`);
	});

	test('is checked by n8n before the run, whether entered as ID or as address', async () => {
		const enter = (mode: string, value: string) =>
			run(service, 'pipeline.invokeWebhook', { webhookId: { __rl: true, mode, value } });
		for (const mode of ['id', 'url']) {
			for (const value of ['not-an-id', 'https://messaging.example.com', `${known.webhookId}0`]) {
				await expect(enter(mode, value)).rejects.toThrow('Not a webhook');
			}
			await enter(mode, known.webhookId);
			await enter(mode, address(service.url));
		}
		expect(service.accepted()).toHaveLength(4);
		expect(service.received()).toHaveLength(4);
	});
});

describe('the payload', () => {
	const fields = (...assignments: INodeParameters[]): INodeParameters => ({
		payloadMode: 'fields',
		payloadFields: { assignments },
	});
	const cases: Array<[string, INodeParameters, IDataObject, IDataObject]> = [
		[
			'fields, entered or by expression',
			fields(
				{ id: '1', name: 'plan', type: 'string', value: 'trial' },
				{ id: '2', name: 'age', type: 'number', value: 41 },
				{ id: '3', name: 'name', type: 'string', value: '={{ $json.name }}' },
				{ id: '4', name: 'vip', type: 'boolean', value: true },
				{ id: '5', name: 'tags', type: 'array', value: '={{ ["a", "b"] }}' },
			),
			{ name: 'Ada' },
			{ plan: 'trial', age: 41, name: 'Ada', vip: true, tags: ['a', 'b'] },
		],
		[
			'JSON with expressions inside',
			{ payloadMode: 'json', payloadJson: '={ "name": "{{ $json.name }}" }' },
			{ name: 'Ada' },
			{ name: 'Ada' },
		],
		[
			'the phone and dial of the payload',
			{ payloadMode: 'input' },
			{ phone: '+1 555-555-0142', outboundDial: 'true', a: 1 },
			{ phone: '+15555550142', outboundDial: true, a: 1 },
		],
		[
			'a phone that a sheet made a number',
			{ phone: '={{ $json.phone }}', options: { defaultCountryCode: '1' } },
			{ phone: 15555550142 },
			{ phone: '+15555550142' },
		],
	];

	test.each(cases)('may be %s', async (_name, parameters, item, body) => {
		const result = await run(
			service,
			'pipeline.invokeWebhook',
			{ ...WEBHOOK, ...parameters },
			{ input: [item] },
		);
		expect(result.error).toBeUndefined();
		expect(onlyRequest(service).body).toEqual(body);
		expect(result.json).toMatchObject([{ webhookBody: body }]);
	});

	test.each([
		['object', '{ "id": 7 }', { id: 7 }],
		['array', '["a", "b"]', ['a', 'b']],
		['number', '={{ "41" }}', 41],
		['boolean', '={{ "true" }}', true],
	])('may be a field of the type "%s" given as text', async (type, value, sent) => {
		const parameters = { ...WEBHOOK, ...fields({ id: '1', name: 'field', type, value }) };
		await run(service, 'pipeline.invokeWebhook', parameters);
		expect(onlyRequest(service).body).toEqual({ field: sent });
	});

	test('is sent with a notice when the cell of the phone is empty', async () => {
		const parameters = { ...WEBHOOK, phone: '={{ $json.phone }}' };
		const input = [{ phone: '' }, { phone: null }, { phone: '+15555550142' }];
		const { hints, error } = await run(service, 'pipeline.invokeWebhook', parameters, { input });
		expect(error).toBeUndefined();
		expect(hints).toEqual([expect.stringContaining('There is no phone number')]);
		expect(service.received()).toHaveLength(3);
	});

	test.each(['={{ $json.Phone }}', '={{ $json.contact.phone }}'])(
		'is not sent when the phone is %s, which no item has',
		async (phone) => {
			const input = [{ phone: '+15555550141' }, { phone: '+15555550142' }];
			const { error } = await run(
				service,
				'pipeline.invokeWebhook',
				{ ...WEBHOOK, phone },
				{ input },
			);
			expect(error?.message).toContain('The expression in "Phone" gives nothing');
			expect(service.received()).toEqual([]);
		},
	);

	test('is not sent when a part of the phone gives nothing, as that of somebody else may be left', async () => {
		const phone = '=+{{ $json.countryCode }}{{ $json.number }}';
		const { json } = await run(
			service,
			'pipeline.invokeWebhook',
			{ ...WEBHOOK, phone },
			{
				input: [
					{ countryCode: '44', number: '2079460958' },
					{ country_code: '44', number: '2079460111' },
					{ countryCode: '', number: '2079460111' },
				],
				onError: 'continueRegularOutput',
			},
		);
		const message = '"Phone" lacks a part: {{ $json.countryCode }} gives nothing';
		expect(json.map(({ error }) => error)).toEqual([undefined, message, message]);
		expect(service.received().map(({ body }) => body)).toEqual([{ phone: '+442079460958' }]);
	});
});

test.each([
	['text', '{ "nodes": [] }', {}],
	['an object by expression', '={{ $json.schema }}', { schema: { nodes: [] } }],
	['text by expression', '={{ $json.schema }}', { schema: '{ "nodes": [] }' }],
])('a schema may be %s', async (_name, schema, item) => {
	const parameters = { ...VERSION, schema };
	const result = await run(service, 'pipelineVersion.create', parameters, { input: [item] });
	expect(result.error).toBeUndefined();
	expect(onlyRequest(service).body).toEqual({ schema: { nodes: [] } });
});

describe('a value that cannot be right is an error that names its parameter, and nothing is sent', () => {
	type Wrong = [label: string, operation: NodeOperation, parameters: INodeParameters];
	// By expression: n8n itself refuses to run a node with an empty field that is required.
	const given = (value: string) => byId(`={{ ${JSON.stringify(value)} }}`);
	const nothing = '={{ "" }}';
	const filter = (filters: INodeParameters): INodeParameters => ({ filters });
	const json = (payloadJson: string): INodeParameters => ({
		...WEBHOOK,
		payloadMode: 'json',
		payloadJson,
	});
	const wrong: Wrong[] = [
		['Webhook', 'pipeline.invokeWebhook', { webhookId: given('') }],
		['Webhook', 'pipeline.invokeWebhook', { webhookId: given('../../admin/users') }],
		['JSON', 'pipeline.invokeWebhook', json('{ "a": 1, }')],
		['Phone', 'pipeline.invokeWebhook', { ...WEBHOOK, phone: '={{ { "a": 1 } }}' }],
		['Outbound Dial', 'pipeline.invokeWebhook', { ...WEBHOOK, options: { outboundDial: 'maybe' } }],
		[
			'Requests per Minute',
			'pipeline.invokeWebhook',
			{ ...WEBHOOK, options: { requestsPerMinute: 0 } },
		],
		['Agent', 'pipelineVersion.create', { ...VERSION, pipelineId: '7' }],
		['Schema', 'pipelineVersion.create', { ...VERSION, schema: '{ nodes: [] }' }],
		[
			'Parent Version ID',
			'pipelineVersion.create',
			{ ...VERSION, additionalFields: { parentVersionId: 'latest' } },
		],
		[
			'New Branch',
			'pipelineVersion.create',
			{ ...VERSION, additionalFields: { newBranch: '={{ "perhaps" }}' } },
		],
		[
			'Version ID',
			'pipelineVersion.update',
			{ pipelineId: known.pipelineId, versionId: '1', name: 'A' },
		],
		[
			'Name',
			'pipelineVersion.update',
			{ pipelineId: known.pipelineId, versionId: known.versionId, name: ' ' },
		],
		['Name', 'inbox.createExternal', { name: nothing }],
		['Token', 'otp.verify', { token: nothing }],
		['Email', 'user.create', { email: nothing }],
		['Template', 'messageTemplate.render', { templateId: given('') }],
		['Limit', 'messageTemplate.getAll', { limit: 0 }],
		['Start Page', 'message.getAll', { options: { page: -1 } }],
		['Timeout', 'message.getAll', { options: { timeout: 0 } }],
		['Max Retries', 'message.getAll', { options: { maxRetries: -1 } }],
		['Concurrency', 'pipeline.invokeWebhook', { ...WEBHOOK, options: { concurrency: 0 } }],
		['Inboxes', 'message.getAll', filter({ inboxIds: [byId(inboxId(1, 0)), byId('sales')] })],
		['After', 'message.getAll', filter({ after: 'June 10, 2026 08:00' })],
		['Before', 'message.getAll', filter({ before: '={{ true }}' })],
		['Before', 'message.getAll', filter({ after: '2026-01-02', before: '2026-01-01' })],
	];

	test.each(wrong)('%s: %s with %j', async (label, operation, parameters) => {
		const result = await run(service, operation, parameters);
		expect(wordsOf(result).message).toContain(`"${label}"`);
		expect(service.received()).toEqual([]);
	});

	test('the phone differs between the node and the payload', async () => {
		const all = { ...WEBHOOK, payloadMode: 'input', phone: '+15555550142' };
		const input = [{ phone: '+15555550143' }];
		const result = await run(service, 'pipeline.invokeWebhook', all, { input });
		expect(wordsOf(result).message).toContain('"Phone"');
		expect(wordsOf(result).itemIndex).toBe(0);
		expect(service.received()).toEqual([]);
	});

	test('a template that does not exist is named', async () => {
		const result = await run(service, 'messageTemplate.render', { templateId: byId('4711') });
		expect(wordsOf(result).message).toContain('4711');
	});
});
