/** Trying a workflow out by hand, without texting anybody. */
import type { INodeParameters, WorkflowExecuteMode } from 'n8n-workflow';

import type { EngineRun } from './engine.ts';
import { store } from './memoryStore.ts';
import { run, start } from './service.ts';
import { byId, known } from './writes.ts';

const TEST_NUMBER = '+15555550199';
const leads = [0, 1, 2].map((n) => ({ n, phone: `+1 555 555 010${n}` }));
const bodies = leads.map(({ n }) => ({ n, phone: `+1555555010${n}` }));

/** Starts the agent for each lead, one after the other. */
async function startAgent(parameters: INodeParameters, more: Partial<EngineRun> = {}) {
	const service = await start();
	const all: INodeParameters = {
		webhook: byId(known.webhookId),
		payloadMode: 'input',
		...parameters,
	};
	const result = await run(service, 'agent.start', all, { input: leads, maxCalls: 1, ...more });
	return { ...result, sent: service.received().map(({ body }) => body) };
}

const previews = bodies.map((webhookBody) => ({
	outcome: 'preview',
	phone: webhookBody.phone,
	key: null,
	sentAt: null,
	webhookBody,
	webhookId: known.webhookId,
}));

const AGAIN = expect.stringMatching(/^Running this again .* "Send Once" is "Off"\. \(3 items\)$/);

const choices: INodeParameters[] = [
	{ whenTesting: 'preview' },
	{ whenTesting: 'testNumber', testNumber: TEST_NUMBER },
	{ whenTesting: 'testNumber' },
];

describe.each<WorkflowExecuteMode>(['webhook', 'trigger', 'chat', 'integrated'])(
	'in the mode "%s"',
	(mode) => {
		test.each(choices)('all is sent with %j', async (options) => {
			const { sent, hints, error } = await startAgent(options, { mode });
			expect(error).toBeUndefined();
			expect(sent).toEqual(bodies);
			expect(hints).toEqual(['3 accepted.', AGAIN]);
		});
	},
);

describe.each<WorkflowExecuteMode>(['manual', 'evaluation'])('in the mode "%s"', (mode) => {
	test.each([{}, { whenTesting: 'send' }])('all is sent with %j', async (options) => {
		const { sent, json, hints } = await startAgent(options, { mode });
		expect(sent).toEqual(bodies);
		expect(json.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
		expect(hints).toEqual(['3 accepted.', AGAIN]);
	});

	test('a preview shows what would be sent, and sends nothing', async () => {
		const { sent, outputs, hints } = await startAgent({ whenTesting: 'preview' }, { mode });
		expect(sent).toEqual([]);
		expect(outputs).toEqual([previews.map((json, item) => ({ json, pairedItem: { item } }))]);
		expect(hints).toEqual([
			expect.stringMatching(
				/^Not sent, because "When Testing" is "Preview Only"\. In production.*"Send Once".*\(3 items\)$/,
			),
		]);
	});

	test('only the first item goes to the test number', async () => {
		const options = { whenTesting: 'testNumber', testNumber: '+1 (555) 555-0199' };
		const { sent, json, hints } = await startAgent(options, { mode });
		const body = { n: 0, phone: TEST_NUMBER };
		expect(sent).toEqual([body]);
		expect(json).toEqual([
			{
				outcome: 'accepted',
				phone: TEST_NUMBER,
				key: null,
				sentAt: expect.stringMatching(/^\d{4}-.*Z$/),
				webhookBody: body,
				webhookId: known.webhookId,
			},
			...previews.slice(1),
		]);
		const unsent = expect.stringMatching(/^Not sent.*\(2 items\)$/);
		expect(hints).toEqual(['1 accepted, 2 preview.', unsent]);
	});
});

describe('in a sub-workflow', () => {
	const mode = 'integrated';
	const preview: INodeParameters = { whenTesting: 'preview' };

	test('a preview sends nothing if somebody started its parent by hand', async () => {
		const { sent, json } = await startAgent(preview, { mode, rootMode: 'manual' });
		expect(json).toEqual(previews);
		expect(sent).toEqual([]);
	});

	test('all is sent if its parent runs in production', async () => {
		const { sent } = await startAgent(preview, { mode, rootMode: 'trigger' });
		expect(sent).toEqual(bodies);
	});

	test('nothing is sent on a guess if its parent is a retry', async () => {
		const { sent, error } = await startAgent(preview, { mode, rootMode: 'retry' });
		expect(error?.message).toMatch(/^n8n does not say whether the retried execution was a test/);
		expect(sent).toEqual([]);
	});
});

test('a test number without a country code is completed as those of contacts are', async () => {
	const testNumber = '(555) 555-0199';
	const parameters = { whenTesting: 'testNumber', testNumber, defaultCountryCode: '1' };
	const { sent } = await startAgent(parameters);
	expect(sent).toEqual([{ n: 0, phone: TEST_NUMBER }]);
});

test.each([
	['', '"Test Number" is empty'],
	['+1555', 'Test Number "+1555" is not a valid number for country code 1'],
	[' 15555550142', 'Test Number " 15555550142" may be +4915555550142 or +15555550142'],
	['=+{{ $json.code }}15555550142', '"Test Number" lacks a part: {{ $json.code }} gives nothing'],
])('the test number %j is refused', async (testNumber, message) => {
	const parameters = { whenTesting: 'testNumber', testNumber, defaultCountryCode: '49' };
	const { sent, error } = await startAgent(parameters);
	expect(error?.message).toBe(message);
	expect(sent).toEqual([]);
});

describe('a preview with an item that cannot be sent', () => {
	const input = [...leads, { n: 3, phone: 'call me' }];
	const problem = 'Phone in the payload "call me" is not a phone number';

	test('fails as production does', async () => {
		const { sent, json, error } = await startAgent({ whenTesting: 'preview' }, { input });
		const production = await startAgent({}, { input, mode: 'trigger' });
		expect(error?.message).toBe(problem);
		expect(production.error?.message).toBe(problem);
		expect(json).toEqual([]);
		expect(sent).toEqual([]);
	});

	test('shows it with its error beside the others with Continue', async () => {
		const more: Partial<EngineRun> = { input, onError: 'continueRegularOutput' };
		const { sent, json, error, hints } = await startAgent({ whenTesting: 'preview' }, more);
		expect(error).toBeUndefined();
		expect(hints).toContainEqual(expect.stringMatching(/^Not sent, .*\(3 items\)$/));
		// The row is as in the input, so that it can be found.
		const failed = { ...input[3], outcome: 'refused', error: problem };
		expect(json).toEqual([...previews, { ...failed, errorDescription: expect.any(String) }]);
		expect(sent).toEqual([]);
	});
});

test('keys are left as they are', async () => {
	const once = { sendOnce: 'key', key: '={{ $json.phone }}' };
	for (const options of choices.slice(0, 2)) await startAgent({ ...options, ...once });
	expect(store.size).toBe(0);
	const { sent } = await startAgent(once, { mode: 'webhook' });
	expect(sent).toEqual(bodies);
	expect(store.size).toBeGreaterThan(0);
});

test.each([
	[[0, 0, 0], true, /^3 of 3 items have the same phone number: \+15555550100\./],
	[[0, 1, 0], false, /^2 of 3 items have the phone number of another one, such as \+15555550100\./],
])(
	'items with the same number are counted, in a preview too: %j',
	async (numbers, warns, words) => {
		const input = numbers.map((n) => leads[n] ?? {});
		for (const whenTesting of ['preview', 'send']) {
			const { hints, warnings } = await startAgent({ whenTesting }, { input });
			expect(hints).toContainEqual(expect.stringMatching(words));
			// Where all have one, the expression is wrong; two people may well share a number.
			expect(warnings.some((warning) => words.test(warning))).toBe(warns);
		}
	},
);
