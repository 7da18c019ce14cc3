import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { until } from '../../sandbox/n8n/until.ts';
import { seeded, type Fault, type FaultKind, type Service } from '../../sandbox/service/service.ts';
import type { EngineResult, EngineRun } from './engine.ts';
import { store } from './memoryStore.ts';
import { credentialOf, hurry, run, start, startAnswering, startStranger } from './service.ts';
import { timingOut } from './timeouts.ts';
import { byId, known, numbered, unknowable } from './writes.ts';

hurry();

const CONTINUE = { onError: 'continueRegularOutput' } as const;
/** Sends again what is unknown. */
const UNKNOWN = { sendAgain: 'unknown' };

/** Sends items, each once per its `n` unless the options say otherwise. */
async function send(
	service: Pick<Service, 'url'>,
	input: IDataObject[],
	options: INodeParameters = {},
	{ parameters = {}, ...more }: Partial<EngineRun> = {},
): Promise<EngineResult> {
	const all: INodeParameters = {
		webhook: byId(known.webhookId),
		sendOnce: 'key',
		key: '={{ $json.n }}',
		payloadMode: 'input',
		...parameters,
		options: { startWithoutContact: true, ...options },
	};
	return await run(service, 'agent.start', all, { input, ...more });
}

/** The `n` of the items that arrived, in ascending order. */
function arrived(service: Service): number[] {
	return service
		.received()
		.map(({ body }) => Number(Object(body).n))
		.sort((a, b) => a - b);
}

const upTo = (count: number) => numbered(count).map(({ n }) => n);

/** What became of each item, in a word. */
function wordsFor({ json }: EngineResult): string[] {
	return json.map(({ outcome, error }) => (error === undefined ? String(outcome) : 'error'));
}

const once = (fault: FaultKind, requests: Fault['requests'] = { first: 1 }): Fault => ({
	...fault,
	requests,
});

/** One fault for each item, with one item at a time. */
const inTurn = (faults: FaultKind[]) =>
	faults.map((fault, index) => once(fault, { exactly: index + 1 }));

describe('a later run', () => {
	test('skips what was accepted, and sends what is new', async () => {
		const service = await start();
		expect(wordsFor(await send(service, numbered(3)))).toEqual(Array(3).fill('accepted'));
		const second = await send(service, numbered(5));
		expect(wordsFor(second)).toEqual(['skipped', 'skipped', 'skipped', 'accepted', 'accepted']);
		expect(second.json[0]).toEqual({
			outcome: 'skipped',
			phone: null,
			key: '0',
			sentAt: null,
			webhookBody: null,
			webhookId: known.webhookId,
		});
		expect(second.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
			upTo(5).map((item) => ({ item })),
		);
		expect(arrived(service)).toEqual(upTo(5));
	});

	test.each([
		[7, ' 7 '],
		['Jos\u00e9 1', 'Jose\u0301 1\u200b'],
	])('takes keys that look the same for the same: %j and %j', async (n, other) => {
		const service = await start();
		await send(service, [{ n }]);
		expect(wordsFor(await send(service, [{ n: other }]))).toEqual(['skipped']);
	});
});

test('every item that did not fail has the same columns, in the same order', async () => {
	const service = await start({ faults: [once({ kind: 'dropAfter' }, { exactly: 2 })] });
	const first = await send(service, numbered(2), {}, { ...CONTINUE, maxCalls: 1 });
	const later = await send(service, numbered(3));
	const preview = await send(service, numbered(1), {}, { parameters: { whenTesting: 'preview' } });
	const [accepted, failed] = first.json;
	const rows = [accepted, ...later.json, ...preview.json];
	expect(rows.map((row) => row?.outcome)).toEqual([
		'accepted',
		'skipped',
		'unknown',
		'accepted',
		'preview',
	]);
	const columns = ['outcome', 'phone', 'key', 'sentAt', 'webhookBody', 'webhookId'];
	for (const row of rows) expect(Object.keys(Object(row))).toEqual(columns);
	const ofFailed = ['n', 'outcome', 'error', 'errorDescription'];
	expect(Object.keys(Object(failed))).toEqual(ofFailed);
});

test('items of one run with the same key are sent once', async () => {
	const service = await start({ latencyMs: 5 });
	const result = await send(service, [{ n: 1 }, { n: 2 }, { n: 1 }, { n: 1 }]);
	expect(wordsFor(result)).toEqual(['accepted', 'accepted', 'skipped', 'skipped']);
	expect(result.hints).toEqual([
		'2 accepted, 2 skipped.',
		expect.stringMatching(/^Skipped, .*, in this run or an earlier one.*\(2 items\)$/),
	]);
	expect(arrived(service)).toEqual([1, 2]);
});

describe('a key that cannot tell items apart is an error, and its item is not sent', () => {
	test.each<[string, IDataObject, string]>([
		['={{ $json.n }}', {}, '"Key" is empty'],
		["={{ [$json.first, $json.last].join('|') }}", {}, '"Key" lacks a part: "|"'],
		['={{ String(new Date($json.at)) }}', {}, '"Key" lacks a part: "Invalid Date"'],
		['={{ $json.n }}', { n: '\u200b' }, '"Key" is empty'],
		['={{ $json.n }}', { n: 2 ** 53 }, '"Key" is a number that is too long to be exact'],
		['campaign', {}, '"Key" has nothing of the item in it'],
		['=save-$5', {}, '"Key" has nothing of the item in it'],
		['={{ $itemIndex }} of {{ $execution.id }}', {}, '"Key" has nothing of the item in it'],
		['={{ $input.first().json.n }}', { n: 1 }, '"Key" has nothing of the item in it'],
		["={{ $('Sheet (leads)').first().json.n }}", { n: 1 }, '"Key" has nothing of the item in it'],
		["={{ $('Source').all()[0].json.n }}", { n: 1 }, '"Key" has nothing of the item in it'],
		['={{ 1 }}-$json.n-{{ $now }}', { n: 1 }, '"Key" has nothing of the item in it'],
		["={{ $json.leadId + '-welcome' }}", { leadId: null }, '"Key" lacks a part: "null-welcome"'],
		['=lead-{{ $json.leadId }}', {}, '"Key" lacks a part: {{ $json.leadId }}'],
		['={{ $json.id }}', { id: '#N/A' }, '"Key" lacks a part: {{ $json.id }}'],
		['=lead-{{ $json.id }}', { id: '#REF!' }, '"Key" lacks a part: {{ $json.id }}'],
		['=lead-{{ $json.n }}', { n: 2 ** 53 }, '"Key" lacks a part: {{ $json.n }}'],
		['={{ $json.id }}', { id: '1.23457E+19' }, '"Key" lacks a part: "1.23457E+19"'],
		['={{ $json.id }}', { id: 'null' }, '"Key" lacks a part: "null"'],
		['=lead-{{ 2 * $json.n }}', {}, '"Key" lacks a part: {{ 2 * $json.n }}'],
		['=lead-{{ $json.a }}', { a: { id: 7 } }, '"Key" lacks a part: "lead-[object Object]"'],
	])('%s of %j', async (key, item, error) => {
		const service = await start();
		const result = await send(service, [item], {}, { parameters: { key }, ...CONTINUE });
		expect(result.json).toMatchObject([{ error }]);
		expect(service.received()).toEqual([]);
	});
});

test.each([
	// The name of nobody.
	['={{ $json.email }}', 'jennifer.null@example.com'],
	['={{ $json.ticket }}', '#2026/1143'],
	["={{ $input.first().json.n }}-{{ $('Source').item.json.n }}", '1-2'],
	['={{ $input.item.json.tags.first() }}', 'a'],
	['={{ $input.all()[$itemIndex].json.n }}', '2'],
])('a key may be what tells the item from others: %s', async (key, expected) => {
	const item = {
		n: 2,
		email: 'jennifer.null@example.com',
		ticket: '#2026/1143',
		tags: ['a', 'b'],
	};
	const { json } = await send(
		await start(),
		[{ ...item, n: 1 }, item],
		{},
		{ parameters: { key } },
	);
	expect(json.at(1)).toMatchObject({ key: expected });
});

test('a key is free again after every answer that says that it was not accepted', async () => {
	const statuses = [400, 401, 403, 404, 422];
	const service = await start({
		faults: inTurn(statuses.map((status) => ({ kind: 'status', status }))),
	});
	const items = numbered(statuses.length);
	const failed = await send(service, items, {}, { ...CONTINUE, maxCalls: 1 });
	expect(wordsFor(failed)).toEqual(items.map(() => 'error'));
	expect(wordsFor(await send(service, items))).toEqual(items.map(() => 'accepted'));
});

describe('nobody knows what became of a key', () => {
	test('after every failure that leaves it open: it comes out so, and is not sent', async () => {
		// The status 202 says all, whatever becomes of the body behind it.
		const faults = inTurn(unknowable.filter(({ kind }) => kind !== 'dropMidBody'));
		const service = await start({ faults });
		const { length } = faults;
		const first = await timingOut(service, () =>
			send(service, numbered(length + 1), {}, { ...CONTINUE, maxCalls: 1 }),
		);
		expect(wordsFor(first)).toEqual([...Array<string>(length).fill('error'), 'accepted']);
		for (let count = 0; count < 2; count++) {
			const { json } = await send(service, numbered(length + 1));
			const keys = upTo(length).map(String);
			expect(json).toMatchObject([
				...keys.map((key) => ({ outcome: 'unknown', key, sentAt: null })),
				{ outcome: 'skipped', key: String(length), sentAt: null },
			]);
		}
		expect(service.received()).toHaveLength(length + 1);
	});

	test('it is sent again when that is wanted, and is accepted then', async () => {
		const service = await start({ faults: [once({ kind: 'dropAfter' })] });
		await send(service, [{ n: 1 }], {}, CONTINUE);
		const again = await send(service, [{ n: 1 }], UNKNOWN);
		expect(wordsFor(again)).toEqual(['accepted']);
		expect(again.hints).toContainEqual(
			expect.stringMatching(/^"Send Again" is "Unknown", .*Set it back to "Nothing"/),
		);
		expect(wordsFor(await send(service, [{ n: 1 }], UNKNOWN))).toEqual(['skipped']);
		expect(service.received()).toHaveLength(2);
	});

	test('it stays so when it is sent again and certainly fails', async () => {
		const service = await start({ faults: [once({ kind: 'dropAfter' })] });
		await send(service, [{ n: 1 }], {}, CONTINUE);
		const parameters = { webhook: byId(known.versionId) };
		await send(service, [{ n: 1 }], UNKNOWN, { parameters, ...CONTINUE });
		expect(wordsFor(await send(service, [{ n: 1 }]))).toEqual(['unknown']);
	});
});

test('an execution that is cancelled leaves unknown what was under way, and frees the rest', async () => {
	const service = await start({
		faults: [{ kind: 'neverAnswer', processed: true, requests: { from: 5 } }],
	});
	const stop = new AbortController();
	const more = { signal: stop.signal, maxCalls: 4 };
	const running = send(service, numbered(20), {}, more);
	const hasBegun = () => arrived(service).filter((n) => !Number.isNaN(n)).length === 8;
	await until('four calls hang', hasBegun, { pollMs: 5 });
	stop.abort();
	await timingOut(service, () => running);
	await service.configure({ faults: [] });
	const words = wordsFor(await send(service, numbered(20)));
	expect(words.filter((word) => word === 'skipped')).toHaveLength(4);
	expect(words.filter((word) => word === 'unknown')).toHaveLength(4);
	expect(words.filter((word) => word === 'accepted')).toHaveLength(12);
	expect(arrived(service)).toEqual(upTo(20));
});

describe('Once per Phone Number', () => {
	const byPhone = { sendOnce: 'phone', phone: '={{ $json.to }}' };
	const sendTo = async (service: Service, ...numbers: unknown[]) =>
		await send(
			service,
			numbers.map((to, n) => ({ n, to }) as IDataObject),
			{},
			{ parameters: byPhone, ...CONTINUE },
		);

	test('compares what a number dials', async () => {
		const service = await start();
		const result = await sendTo(service, '+1 555 555 0100', '+1 (555) 555-0100', '+15555550101');
		expect(wordsFor(result)).toEqual(['accepted', 'skipped', 'accepted']);
		const [again] = (await sendTo(service, '+15555550100')).json;
		const phone = '+15555550100';
		expect(again).toMatchObject({ outcome: 'skipped', key: phone, phone });
	});

	test('an item without a number cannot be compared, and says so', async () => {
		const service = await start();
		const result = await sendTo(service, '', '+15555550100', '');
		expect(wordsFor(result)).toEqual(['error', 'accepted', 'error']);
		expect(result.json[0]?.error).toBe(
			'An item without a phone number cannot be sent once per phone number',
		);
		expect(service.received()).toHaveLength(1);
	});
});

describe('what is remembered belongs to', () => {
	test('the account: another one begins afresh, and the first one goes on', async () => {
		const [test, live] = [await start(), await start()];
		await send(test, numbered(2));
		expect(wordsFor(await send(live, numbered(2)))).toEqual(['accepted', 'accepted']);
		expect(wordsFor(await send(test, numbered(3)))).toEqual(['skipped', 'skipped', 'accepted']);
	});

	test('the base URL and the webhook: nobody is texted again with another key or credential', async () => {
		const service = await startAnswering(202, undefined);
		const next = async (credentialId: string, apiKey: string) => {
			const credential = credentialOf(service, { apiKey });
			return wordsFor(await send(service, numbered(2), {}, { credential, credentialId }));
		};
		expect(await next('1', 'key-1')).toEqual(['accepted', 'accepted']);
		expect(await next('1', 'key-2')).toEqual(['skipped', 'skipped']);
		expect(await next('2', 'key-3')).toEqual(['skipped', 'skipped']);
	});

	test('the webhook: another one begins afresh, however its ID is written', async () => {
		const service = await start();
		const [first = '', second = ''] = seeded.demo.webhookIds;
		const to = async (id: string) =>
			wordsFor(await send(service, [{ n: 1 }], {}, { parameters: { webhook: byId(id) } }));
		expect(await to(first)).toEqual(['accepted']);
		expect(await to(second)).toEqual(['accepted']);
		expect(await to(first.toUpperCase())).toEqual(['skipped']);
	});
});

describe('Send Again: Everybody of This Run', () => {
	const EVERYBODY = { sendAgain: 'everybody' };

	test('starts over with the items of the run, each once, and says so', async () => {
		const service = await start();
		await send(service, numbered(3));
		const result = await send(service, [{ n: 1 }, { n: 1 }], EVERYBODY);
		expect(wordsFor(result)).toEqual(['accepted', 'skipped']);
		expect(result.hints).toEqual(
			expect.arrayContaining([expect.stringContaining('"Everybody of This Run". Set it back')]),
		);
		expect(wordsFor(await send(service, numbered(3)))).toEqual(Array(3).fill('skipped'));
		expect(arrived(service)).toEqual([0, 1, 1, 2]);
	});

	test('also with what was unknown, and with what fails now', async () => {
		const service = await start({ faults: inTurn([{ kind: 'dropAfter' }]) });
		await send(service, [{ n: 1 }], {}, CONTINUE);
		const refused = { parameters: { webhook: byId(known.versionId) }, ...CONTINUE };
		expect(wordsFor(await send(service, [{ n: 1 }]))).toEqual(['unknown']);
		await send(service, [{ n: 1 }], EVERYBODY, refused);
		expect(wordsFor(await send(service, [{ n: 1 }], EVERYBODY))).toEqual(['accepted']);
		expect(wordsFor(await send(service, [{ n: 1 }]))).toEqual(['skipped']);
	});

	test('holds once in an execution, also for an item that comes in a later try', async () => {
		const service = await start({
			faults: [once({ kind: 'status', status: 400 }, { exactly: 2 })],
		});
		const items = [{ n: 1 }, { n: 2 }, { n: 1 }];
		const more = { retryOnFail: true, maxCalls: 1 };
		const result = await send(service, items, EVERYBODY, more);
		expect(wordsFor(result)).toEqual(['accepted', 'accepted', 'skipped']);
		expect(arrived(service)).toEqual([1, 2, 2]);
	});
});

test('a workflow that is not saved sends nothing, and says so, also with On Error: Continue', async () => {
	const service = await start();
	const { json } = await send(service, [{ n: 1 }], {}, { ...CONTINUE, workflowId: '' });
	expect(json).toEqual([
		expect.objectContaining({ n: 1, error: expect.stringMatching(/^The workflow is not saved/) }),
	]);
	expect(service.received()).toEqual([]);
});

test.each([
	'duplicate key value violates unique constraint',
	'SQLITE_CONSTRAINT: UNIQUE constraint failed',
	"Duplicate entry 'x' for key 'PRIMARY'",
])(
	'a row of the store that another process makes at the same moment is no failure: %s',
	async (words) => {
		const service = await start();
		const failing = jest.spyOn(store, 'checkProcessedAndRecord');
		failing.mockRejectedValueOnce(new Error(words));
		const result = await send(service, [{ n: 1 }]);
		failing.mockRestore();
		expect(wordsFor(result)).toEqual(['accepted']);
	},
);

test('an item whose key the store cannot take fails, and is not sent', async () => {
	const service = await start();
	const failing = jest.spyOn(store, 'checkProcessedAndRecord');
	failing.mockRejectedValueOnce(new Error('database is locked'));
	const { json } = await send(service, [{ n: 1 }], {}, CONTINUE);
	failing.mockRestore();
	const errorDescription = expect.stringMatching(/retry this one.*database is locked/);
	expect(json).toMatchObject([
		{ error: expect.stringContaining('was not sent'), errorDescription },
	]);
	expect(service.received()).toEqual([]);
	expect(wordsFor(await send(service, [{ n: 1 }]))).toEqual(['accepted']);
});

describe('Retry On Fail', () => {
	const RETRY = { retryOnFail: true };

	describe.each(['key', 'off'])('with Send Once: %s', (sendOnce) => {
		test('sends nothing again that was accepted or is unknown', async () => {
			const service = await start({ faults: [once({ kind: 'dropAfter' }, { exactly: 2 })] });
			const webhook = `={{ $json.n === 2 ? "${known.versionId}" : "${known.webhookId}" }}`;
			const parameters = { sendOnce, webhook: byId(webhook) };
			await send(service, numbered(4), {}, { parameters, ...RETRY, maxCalls: 1 });
			// The unknown one ends the first try, the refused one the others.
			expect(arrived(service)).toEqual([0, 1, 2, 2]);
		});

		test('neither where the others go on', async () => {
			const service = await start({ faults: [once({ kind: 'dropAfter' })] });
			const more = { parameters: { sendOnce }, ...RETRY, ...CONTINUE, maxCalls: 1 };
			// n8n takes an error of the first item for a failure of the node.
			await send(service, numbered(4), {}, more);
			expect(arrived(service)).toEqual(upTo(4));
		});
	});

	test('does not send what is unknown, also with Send Again: Unknown, as nobody has looked since', async () => {
		const service = await start({ faults: [once({ kind: 'dropAfter' })] });
		const more = { parameters: { sendOnce: 'off' }, ...RETRY };
		await send(service, [{ n: 1 }], UNKNOWN, more);
		expect(arrived(service)).toEqual([1]);
	});

	test('does not call refused what was sent before, when the credential cannot be used any more', async () => {
		const credential: EngineRun['credential'] = { apiKey: 'key' };
		const service = await startStranger((response) => {
			if (service.requests.length === 1) return void response.destroy();
			response.writeHead(202).end();
			credential.baseUrl = '';
		});
		credential.baseUrl = service.url;
		const run = { ...RETRY, ...CONTINUE, maxCalls: 1 };
		const more = { parameters: { sendOnce: 'off' }, credential, ...run };
		const { json } = await send({ url: '' }, numbered(2), {}, more);
		expect(json).toMatchObject([0, 1].map((n) => ({ n, error: 'The base URL is empty.' })));
		expect(json.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
	});

	test('sends all in the end when what failed passes by itself', async () => {
		const service = await start({ faults: [once({ kind: 'status', status: 400 }, { first: 4 })] });
		expect(wordsFor(await send(service, numbered(4), {}, RETRY))).toEqual(
			Array(4).fill('accepted'),
		);
		expect(service.accepted()).toHaveLength(4);
	});
});

test('a tool texts nobody twice, unless somebody has changed that', async () => {
	const service = await start({ messages: 0 });
	const text = async (more: INodeParameters) => {
		const parameters = { webhook: known.webhookId, phone: '+15555550142', ...more };
		const { json } = await run(service, 'agent.start', parameters, { asTool: true });
		return json.map(({ outcome }) => outcome);
	};
	expect(await text({})).toEqual(['accepted']);
	expect(await text({})).toEqual(['skipped']);
	expect(await text({ sendOnce: 'off' })).toEqual(['accepted']);
});
