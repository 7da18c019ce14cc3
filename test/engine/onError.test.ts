import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { until } from '../../sandbox/n8n/until.ts';
import { nodeOperations, operationIds } from '../../sandbox/operations.ts';
import type { FaultKind, Service } from '../../sandbox/service/service.ts';
import type { EngineRun } from './engine.ts';
import './memoryStore.ts';
import {
	credentialOf,
	itemsNamed,
	run,
	start,
	startStranger,
	stopPauses,
	wordsOf,
	type NodeOperation,
} from './service.ts';
import { numbered } from './writes.ts';

const bulk = operationIds.map((id): [NodeOperation, INodeParameters] => {
	const { perItem, secondFails = perItem } = nodeOperations[id];
	return [id, secondFails];
});

const lead = { message: 'Your table is booked', nested: { details: [1] } };

describe.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'On Error: %s',
	(onError) => {
		test.each(bulk)(
			'%s: the failed item carries its error, the others go on',
			async (id, parameters) => {
				const service = await start();
				if (nodeOperations[id].secondFails === undefined) {
					await service.configure({
						faults: [{ kind: 'status', status: 500, requests: { exactly: 2 } }],
					});
				}
				const input = numbered(3).map(({ n }) => ({ n, ...lead }));
				const more = { input, onError, maxCalls: 1 };
				const { outputs, error } = await run(service, id, parameters, more);
				expect(error).toBeUndefined();
				const itemsOf = (output = 0) =>
					outputs[output]?.map(({ pairedItem }) => Object(pairedItem).item);
				const [failedOutput, others, place] =
					onError === 'continueErrorOutput' ? [1, [0, 2], 0] : [0, [0, 1, 2], 1];
				expect(itemsOf()).toEqual(others);
				const words = { error: expect.any(String), errorDescription: expect.any(String) };
				const { effect } = nodeOperations[id];
				const outcome = effect === 'reads' ? {} : { outcome: 'unknown' };
				expect(outputs[failedOutput]?.[place]).toEqual({
					json: { n: 1, ...lead, ...outcome, ...words },
					pairedItem: { item: 1 },
				});
				expect(outputs.flat().filter(({ json }) => json.error !== undefined)).toHaveLength(1);
			},
		);
	},
);

describe('On Error: Continue', () => {
	test('a wrong parameter of one item is the error of that item only', async () => {
		const service = await start();
		const { json } = await run(
			service,
			'user.create',
			{ email: '={{ $json.email }}' },
			{
				input: [{ email: 'a@example.com' }, { email: '' }, { email: 'c@example.com' }],
				onError: 'continueRegularOutput',
			},
		);
		expect(json).toMatchObject([
			{ email: 'a@example.com' },
			{ error: '"Email" is empty' },
			{ email: 'c@example.com' },
		]);
	});

	test.each<[string, INodeParameters, object, string]>([
		['a base URL that cannot be used', {}, { baseUrl: 'not an address' }, 'base URL'],
		['an option that cannot be right', { options: { timeout: 0 } }, {}, '"Timeout"'],
		['a wrong key', {}, { apiKey: 'wrong' }, 'API key'],
	])('%s is the error of every item', async (_name, parameters, more, words) => {
		const service = await start();
		const { outputs } = await run(service, 'inbox.getAll', parameters, {
			input: numbered(2),
			onError: 'continueRegularOutput',
			credential: { ...credentialOf(service), ...more },
		});
		const json = { error: expect.stringContaining(words) };
		expect(outputs).toMatchObject([[0, 1].map((item) => ({ json, pairedItem: { item } }))]);
	});
});

test('what no try could send comes out as refused, also when n8n tries it again', async () => {
	const service = await start();
	const parameters = { email: 'a@example.com' };
	const { json } = await run(service, 'user.create', parameters, {
		onError: 'continueRegularOutput',
		retryOnFail: true,
		credential: { ...credentialOf(service), baseUrl: 'not an address' },
	});
	expect(json).toMatchObject([{ outcome: 'refused', error: expect.stringContaining('base URL') }]);
});

test('a round of a loop that cannot begin comes out as refused, whatever earlier rounds have sent', async () => {
	const service = await start();
	const parameters = { email: 'a@example.com' };
	const { json } = await run(service, 'user.create', parameters, {
		onError: 'continueRegularOutput',
		rounds: 2,
		credentialOfItem: () =>
			credentialOf(service.received().length > 0 ? { url: 'not an address' } : service),
	});
	expect(service.received()).toHaveLength(1);
	expect(json).toMatchObject([{ outcome: 'refused', error: expect.stringContaining('base URL') }]);
});

test('with an error output, what was read of a list goes on, and its failure leaves by the other one', async () => {
	const service = await start({
		faults: [{ kind: 'status', status: 500, requests: { from: 2 } }],
	});
	const more = { onError: 'continueErrorOutput' } as const;
	const { outputs } = await run(service, 'message.getAll', { returnAll: true }, more);
	expect(outputs.map(({ length }) => length)).toEqual([50, 1]);
});

describe('On Error: Stop', () => {
	const call = nodeOperations['agent.start'].perItem;
	const failingSecond = (fault: FaultKind = { kind: 'status', status: 400 }) =>
		start({ faults: [{ ...fault, requests: { exactly: 2 } }] });

	/** Starts the agent for so many items, one at a time. */
	async function startAgent(
		service: Service,
		count: number,
		{ parameters = {}, ...more }: Partial<EngineRun> = {},
	) {
		const all = { ...call, ...parameters };
		return await run(service, 'agent.start', all, { input: numbered(count), maxCalls: 1, ...more });
	}

	test.each<[FaultKind, RegExp]>([
		[
			{ kind: 'status', status: 400 },
			/1 accepted \(0\), 1 refused \(1: \+1\d+\), 2 not sent \(2-3\)\. To send the rest, do not run/,
		],
		[
			{ kind: 'dropAfter' },
			/1 unknown \(1: \+1\d+\), 2 not sent \(2-3\)\. .* so check there before you/,
		],
	])('the error of a write says how to go on: %j', async (fault, words) => {
		const service = await failingSecond(fault);
		expect(wordsOf(await startAgent(service, 4)).description).toMatch(words);
	});

	test('where a wrong row holds all others back, the error says how to send those', async () => {
		const input = [{ phone: '+15555550100' }, { phone: 'call me' }];
		const parameters = { phone: '={{ $json.phone }}', sendOnce: 'phone' };
		const { description } = wordsOf(await startAgent(await start(), 2, { parameters, input }));
		expect(description).toMatch(
			/1 refused \(1\), 1 not sent \(0\)\. Nothing was sent\. To send all but what fails, set "On Error"/,
		);
	});

	test('the error of a sub-workflow says which retry repeats nothing', async () => {
		const first = await start({ faults: [{ kind: 'status', status: 400 }] });
		// The parent may have started it for other items before, also if there is one item.
		for (const [service, count] of [[await failingSecond(), 3] as const, [first, 1] as const]) {
			const { description } = wordsOf(await startAgent(service, count, { mode: 'integrated' }));
			expect(description).toContain(
				'A retry of this execution of the sub-workflow repeats nothing',
			);
			expect(description).not.toContain('To send the rest');
		}
	});

	test('the error is the failure that ended the run, not one that comes from its end', async () => {
		const service = await start({
			faults: [
				{ kind: 'status', status: 503, requests: { exactly: 1 } },
				{ kind: 'status', status: 400, requests: { exactly: 2 } },
			],
		});
		// The first item would be sent again when the second one fails.
		const parameters = { options: { retryUnknown: true } };
		const words = wordsOf(await startAgent(service, 2, { parameters, maxCalls: 2 }));
		expect(words).toMatchObject({ itemIndex: 1, message: expect.stringMatching(/did not accept/) });
	});

	test('an expression that fails tells what became of the other items, too', async () => {
		const service = await start();
		const parameters = { options: { timeout: '={{ $itemIndex ? $("Nobody").first() : 1000 }}' } };
		const { description, itemIndex } = wordsOf(await startAgent(service, 3, { parameters }));
		expect(itemIndex).toBe(1);
		expect(description).toContain('1 accepted (0), 2 refused (1-2).');
	});

	const WIDTH = 10;
	const options = { requestsPerMinute: WIDTH };
	const placed = { maxCalls: WIDTH };

	test.each<[string, INodeParameters, Partial<EngineRun>]>([
		['a place', {}, placed],
		['the rate limit', { options }, {}],
		['a place, with Send Once', { sendOnce: 'phone' }, placed],
		['the rate limit, with Send Once', { sendOnce: 'phone', options }, {}],
	])('no call begins after a failure, whatever it waits for: %s', async (_what, set, bound) => {
		const items = 450;
		const held: ServerResponse[] = [];
		const service = await startStranger((response) => void held.push(response));
		// A longer one would have to be ended by the failure.
		stopPauses((milliseconds) => milliseconds > 1_000);
		const more = { input: numbered(items), ...bound };
		const running = run(service, 'agent.start', { ...call, ...set }, more);
		await until('calls are under way', () => held.length === WIDTH, { pollMs: 5 });

		for (const [index, response] of held.entries()) {
			response.writeHead(index === 0 ? 400 : 202).end();
			await until('the answer is read', () => response.socket?.destroyed ?? true, { pollMs: 5 });
			// The node learns of it.
			for (let turns = 0; turns < 50; turns++) await turn();
		}
		expect(service.requests).toHaveLength(WIDTH);
		const { description } = wordsOf(await running);
		expect(service.requests).toHaveLength(WIDTH);
		expect(itemsNamed(description, 'refused')).toHaveLength(1);
		expect(itemsNamed(description, 'accepted')).toHaveLength(WIDTH - 1);
		expect(itemsNamed(description, 'not sent')).toHaveLength(items - WIDTH);
	});
});
