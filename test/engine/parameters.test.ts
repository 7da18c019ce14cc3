import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { byId, known, nodeOperations, operationIds } from '../../sandbox/operations.ts';
import { inboxId } from '../../sandbox/service/identifiers.ts';
import type { Service } from '../../sandbox/service/service.ts';
import { onlyRequest, run, startQuietly, wordsOf, type NodeOperation } from './service.ts';

const WEBHOOK = { webhook: byId(known.webhookId) };
const WITHOUT_CONTACT = { options: { startWithoutContact: true } };

let service: Service;
beforeAll(async () => {
	service = await startQuietly();
});
beforeEach(() => service.reset('log'));
afterAll(() => service.close());

/** Starts the agent, for one empty item unless others are given. */
const startAgent = async (parameters: INodeParameters, input?: IDataObject[]) =>
	await run(service, 'agent.start', { ...WEBHOOK, ...parameters }, { input });

test('a timeout beyond what a timer can hold does not end the call at once', async () => {
	await service.configure({ latencyMs: 50 });
	const options = { timeout: 3_000_000_000 };
	const { json } = await startAgent({ phone: '+15555550100', options });
	await service.configure({ latencyMs: 0 });
	expect(json).toMatchObject([{ outcome: 'accepted' }]);
});

test.each(['1\u202a23\u202c456 ', '\uff11\uff12\uff13\u0664\u0665\u0666'])(
	'a one-time password is checked as the digits that it shows: %j',
	async (token) => {
		await run(service, 'oneTimePassword.verify', { token });
		expect(onlyRequest(service).query).toBe('token=123456');
	},
);

test('a webhook of another host is called at the address in the credential', async () => {
	const value = `https://elsewhere.example.com/public/pipelines/webhook/${known.webhookId}`;
	const webhook = { __rl: true, mode: 'url', value };
	const { error, hints } = await startAgent({ webhook, phone: '+15555550100' });
	expect(error).toBeUndefined();
	expect(hints).toEqual([expect.stringContaining('an address at elsewhere.example.com, but')]);
	expect(onlyRequest(service).path).toBe(`/public/pipelines/webhook/${known.webhookId}`);
});

/** A payload of these fields. */
const fields = (...assignments: INodeParameters[]): INodeParameters => ({
	payloadMode: 'fields',
	payloadFields: { assignments },
});

describe('the payload', () => {
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
			'fields of any type given as text',
			fields(
				{ id: '1', name: 'owner', type: 'object', value: '{ "id": 7 }' },
				{ id: '2', name: 'tags', type: 'array', value: '["a", "b"]' },
				{ id: '3', name: 'age', type: 'number', value: '={{ "41" }}' },
				{ id: '4', name: 'vip', type: 'boolean', value: '={{ "true" }}' },
				// It is not made a zero.
				{ id: '5', name: 'owed', type: 'number', value: '={{ "" }}' },
			),
			{},
			{ owner: { id: 7 }, tags: ['a', 'b'], age: 41, vip: true, owed: '' },
		],
		[
			'JSON with expressions inside',
			{ payloadMode: 'json', payloadJson: '={ "name": "{{ $json.name }}" }' },
			{ name: 'Ada' },
			{ name: 'Ada' },
		],
		[
			'the input item, with its phone',
			{ payloadMode: 'input' },
			{ phone: '+1 555-555-0142', a: 1 },
			{ phone: '+15555550142', a: 1 },
		],
		[
			'a phone that a sheet made a number',
			{ phone: '={{ $json.phone }}', defaultCountryCode: '1' },
			{ phone: 15555550142 },
			{ phone: '+15555550142' },
		],
	];

	test.each(cases)('may be %s', async (_name, parameters, item, body) => {
		const result = await startAgent({ ...WITHOUT_CONTACT, ...parameters }, [item]);
		expect(result.error).toBeUndefined();
		expect(onlyRequest(service).body).toEqual(body);
		expect(result.json).toMatchObject([{ webhookBody: body }]);
	});

	const EMPTY_PHONES: Array<[string, INodeParameters, IDataObject]> = [
		['in the node', {}, {}],
		['in a field that is not there', { phone: '={{ $json.contact.phone }}' }, {}],
		['in it, with blanks behind', { phone: '={{ $json.contact.phone }} \n' }, {}],
		['in the input item', { payloadMode: 'input' }, { Phone: '+15555550141' }],
		['in JSON', { payloadMode: 'json', payloadJson: '{ "phone": "" }' }, {}],
	];

	test.each(EMPTY_PHONES)(
		'is not sent without a phone number %s, unless the agent needs none',
		async (_where, phone, item) => {
			expect(wordsOf(await startAgent(phone, [item]))).toEqual({
				message: '"Phone" is empty',
				description: expect.stringContaining('turn on "Start Without Contact"'),
				itemIndex: 0,
			});
			expect(service.received()).toEqual([]);

			const { json } = await startAgent({ ...phone, ...WITHOUT_CONTACT }, [item]);
			expect(json).toMatchObject([{ outcome: 'accepted', phone: null }]);
			expect(onlyRequest(service).body).not.toHaveProperty('phone');
		},
	);

	test.each([
		[
			'',
			'"Phone" is empty',
			/^Enter the number .*, or map the column .*\. The item has: "Name", "Phone Number"\. /,
		],
		['={{ $json.phone }}', '"Phone" is empty', /^The expression gives nothing .* "Phone Number"/],
		['phone number ', /^"Phone" is the name of a column, "Phone Number"/, /\{\{ \$json\["Phone N/],
	])(
		'is not sent to %j; the error says which columns there are',
		async (phone, message, advice) => {
			const item = { Name: 'Ada', 'Phone Number': '+15555550141' };
			expect(wordsOf(await startAgent({ phone }, [item]))).toMatchObject({
				message: expect.stringMatching(message),
				description: expect.stringMatching(advice),
			});
			expect(service.received()).toEqual([]);
		},
	);

	const note = '","phone":"+15555550141","outboundDial":"';
	const own = '"phone": "{{ $json.phone }}"';

	test.each([
		['={ "note": "{{ $json.note }}" }', 'phone'],
		['={ "note": "{{ $json.note }}", "owner": { "phone": "{{ $json.phone }}" } }', 'phone'],
		[`={ "note": "{{ $json.note }}", ${own} }`, 'phone'],
		[`={ "note": {{ '1' + $json.note.slice(1) + '"' }} }`, 'phone'],
		['={ "note": "{{ $json.note.replace("phone", "mobile") }}" }', 'outboundDial'],
	])('is not sent when a text of the item adds "phone" to JSON: %s', async (payloadJson, name) => {
		const input = [{ note, phone: '+15555550142' }];
		const parameters = { ...WITHOUT_CONTACT, payloadMode: 'json', payloadJson };
		const { message } = wordsOf(await startAgent(parameters, input));
		expect(message).toMatch(new RegExp(`^"Payload JSON" (?:got|has) the name "${name}"`));
		expect(service.received()).toEqual([]);
	});

	test.each([
		`={ "note": {{ JSON.stringify($json.note) }}, ${own} }`,
		`={\u00a0"note": {{ JSON.stringify($json.note) }}, ${own} }`,
		'={{ $json }}',
		'={{ JSON.stringify($json) }}',
		`={ ${own}, "note": {{ JSON.stringify($json.note) }}{{ $json.nothing }} }`,
	])('is sent with a "phone" that is meant to be there: %s', async (payloadJson) => {
		const input = [{ note, phone: '+15555550142' }];
		await startAgent({ payloadMode: 'json', payloadJson }, input);
		expect(onlyRequest(service).body).toEqual({ note, phone: '+15555550142' });
	});

	test('is not sent when nobody can say who wrote the "phone" in JSON', async () => {
		const payloadJson = `={ {{ '"plan": "trial",' }} ${own} }`;
		const input = [{ phone: '+15555550142' }];
		const { message } = wordsOf(await startAgent({ payloadMode: 'json', payloadJson }, input));
		expect(message).toMatch(
			/is no JSON without its expressions, and may have got the name "phone"/,
		);
		expect(service.received()).toEqual([]);
	});

	test('is not sent to the number in the payload when an expression for another one gives nothing', async () => {
		const parameters = { phone: '={{ $json.mobile }}', payloadMode: 'input' };
		for (const more of [{}, WITHOUT_CONTACT]) {
			const result = await startAgent({ ...parameters, ...more }, [{ phone: '+15555550141' }]);
			expect(wordsOf(result).message).toBe(
				'"Phone" is empty in the node but +15555550141 in the payload',
			);
		}
		expect(service.received()).toEqual([]);
	});

	test.each([
		['={{ $json.name }}', '{{ $json.name }}'],
		['=Hi {{ $json.name }},', '{{ $json.name }}'],
		["={{ 'Hi ' + ($json.name || undefined) }}", 'undefined'],
	])(
		'is sent with a notice that names item and field whose expression gives nothing: %s',
		async (value, gap) => {
			const greeting = fields({ id: '1', name: 'greeting', type: 'string', value });
			const input = [{ name: 'Ada' }, { name: '' }, {}];
			const { hints, error } = await startAgent({ ...WITHOUT_CONTACT, ...greeting }, input);
			expect(error).toBeUndefined();
			expect(hints).toContain(
				`Item 1: the payload field "greeting" is empty or has a gap: ${gap} (2 items)`,
			);
			expect(service.received()).toHaveLength(3);
		},
	);

	const named = { name: 'greeting', type: 'string' };

	test.each<[string, INodeParameters, string]>([
		['a field', fields({ id: '1', ...named, value: 'Hi {{ $json.name }}' }), '{{ $json.name }}'],
		[
			'a field of the item',
			fields({ id: '1', ...named, value: '={{ $json.text }}' }),
			'{{firstName}}',
		],
		['the item', { payloadMode: 'input' }, '{{firstName}}'],
		['JSON', { payloadMode: 'json', payloadJson: '={ "a": "{{ $json.text }}" }' }, '{{firstName}}'],
		[
			'JSON',
			{ payloadMode: 'json', payloadJson: '={ "a": "{{ $json.name }}" }' },
			'{{ $json.name }}',
		],
	])('is shown with a notice when a placeholder is left in %s', async (_where, payload, gap) => {
		const input = [{ text: 'Hi {{firstName}}', surname: 'Null', note: 'It is undefined here' }];
		const preview = { ...WITHOUT_CONTACT, whenTesting: 'preview', ...payload };
		for (const parameters of [preview, { ...WITHOUT_CONTACT, ...payload }]) {
			const { hints } = await startAgent(parameters, input);
			const gaps = hints.filter((hint) => hint.includes('has a gap'));
			expect(gaps).toEqual([expect.stringContaining(`is empty or has a gap: ${gap}`)]);
		}
	});

	const PARTS = '+{{ $json.code }}{{ $json.number }}';
	const inJson = (more = '') => ({
		payloadMode: 'json',
		payloadJson: `={ ${more}"phone": "${PARTS}" }`,
	});

	test.each<[string, INodeParameters]>([
		['in the node', { phone: `=${PARTS}` }],
		['in a field', fields({ id: '1', name: 'phone', type: 'string', value: `=${PARTS}` })],
		['in JSON', inJson()],
		['in JSON, behind that of somebody else', inJson('"owner": { "phone": "+1{{ $json.no }}" }, ')],
	])(
		'is not sent when a part of the phone gives nothing, as that of somebody else may be left: %s',
		async (_where, phone) => {
			// As the items come from a node that has started another agent for them.
			const input = [
				{ code: '44', number: '2079460958', outcome: 'accepted' },
				{ Code: '44', number: '2079460111', outcome: 'accepted' },
				{ code: '', number: '2079460111', outcome: 'accepted' },
			];
			const more = { input, onError: 'continueRegularOutput' } as const;
			const parameters = { ...WEBHOOK, ...phone };
			const { json } = await run(service, 'agent.start', parameters, more);
			const error = expect.stringContaining('lacks a part: {{ $json.code }} gives nothing');
			const refused = { outcome: 'refused', error };
			expect(json).toMatchObject([{ outcome: 'accepted' }, refused, refused]);
			expect(service.received()).toHaveLength(1);
		},
	);

	test.each([
		['phone', 'The payload has the field "phone" twice'],
		[' ', 'A field of the payload has no name'],
	])('is refused when it has a field "phone" and one called %j', async (other, message) => {
		const all = ['phone', other].map((name, index) => {
			return { id: String(index), name, type: 'string', value: '+15555550142' };
		});
		expect(wordsOf(await startAgent(fields(...all))).message).toBe(message);
		expect(service.received()).toEqual([]);
	});
});

describe('a value that cannot be right is an error that names its parameter, and nothing is sent', () => {
	// By expression: n8n itself refuses to run a node with an empty field that is required.
	const nothing = '={{ "" }}';
	const differs = { payloadMode: 'json', payloadJson: '{ "phone": "+15555550143" }' };
	const reversed = { after: '2026-01-02', before: '2026-01-01' };
	const wrong: Partial<Record<NodeOperation, Array<[label: string, INodeParameters]>>> = {
		'agent.start': [
			['Agent Webhook', { webhook: byId(nothing) }],
			['Payload', { payloadMode: 'text' }],
			['Send Once', { sendOnce: 'oncePerKey' }],
			['When Testing', { whenTesting: 'nonsense' }],
			['Payload JSON', { payloadMode: 'json', payloadJson: '{ "a": 1, }' }],
			['Payload JSON', { payloadMode: 'json', payloadJson: '{ "id": 1234567890123456789 }' }],
			['Payload JSON', { payloadMode: 'json', payloadJson: '{ "amount": 1e400 }' }],
			['Phone', { phone: '=+49{{ 30 }}{{ Number($json.rest) }}123456' }],
			['id', fields({ id: '1', name: 'id', type: 'number', value: '={{ "9007199254740993" }}' })],
			['Phone', { phone: '={{ $json.phone }}' }],
			['Phone', { phone: '={{ { "a": 1 } }}' }],
			['Phone', { phone: '+15555550142', ...differs }],
			[
				'Phone in the payload',
				{ phone: '', payloadMode: 'json', payloadJson: '{ "phone": true }' },
			],
			['Outbound Dial', { options: { outboundDial: 'maybe' } }],
			['Requests per Minute', { options: { requestsPerMinute: 0 } }],
		],
		'agentVersion.create': [
			['Agent ID', { agentId: '7' }],
			['Schema', { schema: '{ nodes: [] }' }],
			['Schema', { schema: nothing }],
			['Schema', { schema: ' {} ' }],
			['Parent Version ID', { additionalFields: { parentVersionId: 'latest' } }],
			['New Branch', { additionalFields: { newBranch: '={{ "perhaps" }}' } }],
		],
		'agentVersion.rename': [
			['Version ID', { versionId: '1' }],
			['Name', { name: ' ' }],
		],
		'inbox.createExternal': [['Name', { name: nothing }]],
		'inbox.getAll': [
			['Phone', { filters: { phone: '={{ $json.nothing }}' } }],
			['Phone', { filters: { phone: 'Ada' } }],
		],
		'oneTimePassword.verify': [
			['Token', { token: nothing }],
			['Token', { token: '={{ 12345 }}' }],
		],
		'user.create': [['Email', { email: nothing }]],
		'messageTemplate.fillIn': [['Template', { templateId: byId(nothing) }]],
		'messageTemplate.getAll': [['Limit', { limit: 0 }]],
		'message.waitForReply': [
			['Phone', { phone: '={{ $json.phone }}' }],
			['Minutes to Wait', { waitMinutes: 61 }],
			['After', { after: '={{ $json.after }}' }],
		],
		'message.getAll': [
			['Timeout', { options: { timeout: 30 } }],
			['Max Retries', { options: { maxRetries: -1 } }],
			['Inboxes', { filters: { inboxIds: '' } }],
			['Inboxes', { filters: { inboxIds: [byId(inboxId(1, 0)), byId('sales')] } }],
			['After', { filters: { after: 'June 10, 2026 08:00' } }],
			['Before', { filters: { before: '={{ $json.nothing }}' } }],
			['Before', { filters: reversed }],
		],
	};
	const cases = operationIds.flatMap((id) =>
		(wrong[id] ?? []).map(([label, parameters]) => ({ id, label, parameters })),
	);

	test.each(cases)('$label: $id with $parameters', async ({ id, label, parameters }) => {
		const all = { ...nodeOperations[id].minimal, ...parameters };
		expect(wordsOf(await run(service, id, all)).message).toContain(`"${label}"`);
		expect(service.received()).toEqual([]);
	});
});

test.each(['447700900142', ' 15555550142', 4915123456789])(
	'a number that may be of another country is refused wherever one is read: %j',
	async (phone) => {
		const text = `={{ ${JSON.stringify(phone)} }}`;
		const options = { defaultCountryCode: '49' };
		const all = [
			await startAgent({ phone: text, ...options }),
			await startAgent({ payloadMode: 'input', ...options }, [{ phone }]),
			await run(service, 'message.getAll', { filters: { phone: text }, options }),
			await run(service, 'message.waitForReply', { phone: text, options }),
		];
		for (const result of all) {
			const other = `+${String(phone).trim()}`;
			expect(wordsOf(result).message).toMatch(/^Phone.* may be \+49\d+ or \+\d+$/);
			expect(wordsOf(result).message).toContain(other);
		}
		expect(service.received()).toEqual([]);
	},
);

describe('where a number selects', () => {
	const getMessages = async (phone: string, item: IDataObject) =>
		await run(service, 'message.getAll', { filters: { phone } }, { input: [item] });
	const selecting = [
		getMessages,
		async (phone: string, item: IDataObject) =>
			await run(service, 'inbox.getAll', { filters: { phone } }, { input: [item] }),
		async (phone: string, item: IDataObject) =>
			await run(service, 'message.waitForReply', { phone }, { input: [item] }),
	];

	test.each(selecting)(
		'it lacks no part, as it would be that of somebody else: %#',
		async (select) => {
			const phone = '=+15555550142,+{{ $json.code }}{{ $json.number }}';
			const result = await select(phone, { number: '15555550143' });
			const message = '"Phone" lacks a part: {{ $json.code }} gives nothing';
			expect(wordsOf(result)).toMatchObject({ message });
			expect(service.received()).toEqual([]);
		},
	);

	test('one of several may be missing', async () => {
		const phone = '={{ $json.mobile }}, {{ $json.landline }}';
		const { error } = await getMessages(phone, { mobile: '+15555550142' });
		expect(error).toBeUndefined();
	});
});
