/** Trying a workflow out by hand, without texting anybody. */
import type { INodeParameters, WorkflowExecuteMode } from 'n8n-workflow';

import type { EngineRun } from './engine.ts';
import { store } from './memoryStore.ts';
import { run, start } from './service.ts';
import { byId, known } from './writes.ts';

const TEST_NUMBER = '+15555550199';
const leads = [0, 1, 2].map((n) => ({ n, phone: `+1 555 555 010${n}` }));
const bodies = leads.map(({ n }) => ({ n, phone: `+1555555010${n}` }));

/** Invokes a webhook for each lead. */
async function invoke(parameters: INodeParameters, more: Partial<EngineRun> = {}) {
	const service = await start();
	const all: INodeParameters = {
		webhook: byId(known.webhookId),
		payloadMode: 'input',
		options: { concurrency: 1 },
		...parameters,
	};
	const result = await run(service, 'agent.start', all, { input: leads, ...more });
	return { ...result, sent: service.received().map(({ body }) => body) };
}

const previews = bodies.map((webhookBody) => ({
	outcome: 'preview',
	accepted: false,
	phone: webhookBody.phone,
	sentAt: null,
	webhookId: known.webhookId,
	webhookBody,
}));

const choices: INodeParameters[] = [
	{ whenTesting: 'preview' },
	{ whenTesting: 'testNumber', testNumber: TEST_NUMBER },
	{ whenTesting: 'testNumber' },
];

describe.each<WorkflowExecuteMode>(['webhook', 'trigger', 'chat', 'integrated'])(
	'in the mode "%s"',
	(mode) => {
		test.each(choices)('all is sent with %j', async (options) => {
			const { sent, hints, error } = await invoke(options, { mode });
			expect(error).toBeUndefined();
			expect(sent).toEqual(bodies);
			expect(hints).toEqual([]);
		});
	},
);

describe.each<WorkflowExecuteMode>(['manual', 'evaluation'])('in the mode "%s"', (mode) => {
	test.each([{}, { whenTesting: 'send' }])('all is sent with %j', async (options) => {
		const { sent, json, hints } = await invoke(options, { mode });
		expect(sent).toEqual(bodies);
		expect(json.map(({ accepted }) => accepted)).toEqual([true, true, true]);
		expect(hints).toEqual([]);
	});

	test('a dry run shows what would be sent, and sends nothing', async () => {
		const { sent, outputs, hints } = await invoke({ whenTesting: 'preview' }, { mode });
		expect(sent).toEqual([]);
		expect(outputs).toEqual([previews.map((json, item) => ({ json, pairedItem: { item } }))]);
		expect(hints).toEqual([
			expect.stringMatching(
				/^Not sent, because "When Testing" is "Preview Only"\. In production.*\(3 items\)$/,
			),
		]);
	});

	test('only the first item goes to the test number', async () => {
		const options = { whenTesting: 'testNumber', testNumber: '+1 (555) 555-0199' };
		const { sent, json, hints } = await invoke(options, { mode });
		const body = { n: 0, phone: TEST_NUMBER };
		expect(sent).toEqual([body]);
		expect(json).toEqual([
			{
				outcome: 'accepted',
				accepted: true,
				phone: TEST_NUMBER,
				sentAt: expect.stringMatching(/^\d{4}-.*Z$/),
				webhookId: known.webhookId,
				webhookBody: body,
			},
			...previews.slice(1),
		]);
		expect(hints).toEqual([expect.stringMatching(/^Not sent.*\(2 items\)$/)]);
	});
});

test.each([
	['', '"Test Number" is empty'],
	['555 0100', 'Test Number "555 0100" does not begin with "+" and a country code'],
])('the test number %j is refused', async (testNumber, message) => {
	const { sent, error } = await invoke({ whenTesting: 'testNumber', testNumber });
	expect(error?.message).toBe(message);
	expect(sent).toEqual([]);
});

test('a dry run shows an item that cannot be sent with its error, beside the others', async () => {
	const lead = { phone: 'call me' };
	const { sent, json, error, hints } = await invoke(
		{ whenTesting: 'preview' },
		{ input: [...leads, lead] },
	);
	expect(error).toBeUndefined();
	expect(hints).toContainEqual(expect.stringContaining('Some items would fail'));
	expect(json).toEqual([
		...previews,
		{
			outcome: 'preview',
			accepted: false,
			// As in the input, so that the row can be found.
			phone: 'call me',
			sentAt: null,
			webhookId: null,
			webhookBody: null,
			error: 'Phone in the payload "call me" is not a phone number',
			errorDescription: expect.any(String),
		},
	]);
	expect(sent).toEqual([]);
});

test('with Continue, it fails as in production', async () => {
	const input = [...leads, { phone: 'call me' }];
	const more: Partial<EngineRun> = { input, onError: 'continueRegularOutput' };
	const { sent, json } = await invoke({ whenTesting: 'preview' }, more);
	expect(json.map(({ outcome }) => outcome)).toEqual(['preview', 'preview', 'preview', 'refused']);
	expect(sent).toEqual([]);
});

test('keys are left as they are', async () => {
	const once = { sendOnce: 'key', key: '={{ $json.phone }}' };
	for (const options of choices.slice(0, 2)) {
		// The same columns, whatever the item is for.
		const { json } = await invoke({ ...options, ...once });
		expect(json.every((item) => 'key' in item)).toBe(true);
	}
	expect(store.size).toBe(0);
	const { sent } = await invoke(once, { mode: 'webhook' });
	expect(sent).toEqual(bodies);
	expect(store.size).toBeGreaterThan(0);
});
