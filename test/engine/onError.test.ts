import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { nodeOperations, operationIds } from '../../sandbox/operations.ts';
import { type Service } from '../../sandbox/service/service.ts';
import { credentialOf, itemsNamed, run, start, wordsOf, type NodeOperation } from './service.ts';
import { numbered, writes } from './writes.ts';

const bulk = operationIds.map((id): [NodeOperation, INodeParameters] => {
	const { perItem, secondFails = perItem } = nodeOperations[id];
	return [id, secondFails];
});

/** Runs three items of which the second fails. */
async function runWithFailure(
	id: NodeOperation,
	parameters: INodeParameters,
	onError: 'continueRegularOutput' | 'continueErrorOutput',
) {
	const service = await start();
	if (nodeOperations[id].secondFails === undefined) {
		await service.configure({
			faults: [{ kind: 'status', status: 500, requests: { exactly: 2 } }],
		});
	}
	const options = { concurrency: 1, ...Object(parameters.options) };
	return await run(service, id, { ...parameters, options }, { input: numbered(3), onError });
}

describe('On Error: Continue', () => {
	test.each(bulk)(
		'%s: the failed item carries its error, the others go on',
		async (id, parameters) => {
			const { outputs, error } = await runWithFailure(id, parameters, 'continueRegularOutput');
			expect(error).toBeUndefined();
			const [items = []] = outputs;
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
				{ item: 0 },
				{ item: 1 },
				{ item: 2 },
			]);
			expect(items.map(({ json }) => typeof json.error)).toEqual([
				'undefined',
				'string',
				'undefined',
			]);
		},
	);

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

describe.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'with On Error %s, the failed item',
	(onError) => {
		/** Runs a lead that is refused behind one that is not, and gives what comes out for it. */
		const refused = async (id: NodeOperation, parameters: INodeParameters, lead: IDataObject) => {
			const service = await start({
				faults: [{ kind: 'status', status: 400, requests: { exactly: 2 } }],
			});
			const input = [{ n: 0 }, { n: 1, ...lead }];
			const options = { concurrency: 1 };
			const result = await run(service, id, { ...parameters, options }, { input, onError });
			expect(result.error).toBeUndefined();
			expect(result.outputs[0]).toHaveLength(onError === 'continueErrorOutput' ? 1 : 2);
			return onError === 'continueErrorOutput' ? result.failed : result.outputs[0]?.slice(1);
		};
		const words = {
			error: expect.stringContaining('did not accept'),
			errorDescription: expect.stringContaining('Status 400'),
		};

		test.each(writes)('of $operation keeps its fields', async ({ operation, parameters }) => {
			const lead = { message: 'Your table is booked', nested: { details: [1] } };
			expect(await refused(operation, parameters, lead)).toEqual([
				{ json: { n: 1, ...lead, ...words }, pairedItem: { item: 1 } },
			]);
		});
	},
);

describe('On Error: Continue (using error output)', () => {
	test.each(bulk)('%s: the failed item leaves by the other output', async (id, parameters) => {
		const { outputs, failed, error } = await runWithFailure(id, parameters, 'continueErrorOutput');
		expect(error).toBeUndefined();
		expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(failed).toMatchObject([
			{ json: { n: 1, error: expect.any(String) }, pairedItem: { item: 1 } },
		]);
	});

	test('what was read of a list goes on, and its failure leaves by the other output', async () => {
		const service = await start({
			faults: [{ kind: 'status', status: 500, requests: { from: 2 } }],
		});
		const parameters = { returnAll: true, options: { concurrency: 1 } };
		const onError = 'continueErrorOutput' as const;
		const { json, failed } = await run(service, 'message.getAll', parameters, { onError });
		expect(json).toHaveLength(50);
		expect(failed).toHaveLength(1);
	});
});

describe('On Error: Stop', () => {
	test.each(writes)(
		'$operation: the error says which items were accepted, are unknown and were not sent, and that is true',
		async ({ operation, parameters, itemOf }) => {
			const service: Service = await start({
				faults: [{ kind: 'status', status: 503, requests: { exactly: 6 } }],
				latencyMs: 3,
			});
			const options = { concurrency: 3 };
			const result = await run(
				service,
				operation,
				{ ...parameters, options },
				{ input: numbered(20) },
			);
			const { description, itemIndex } = wordsOf(result);
			const accepted = itemsNamed(description, 'accepted');
			const unknown = itemsNamed(description, 'unknown');
			const unsent = itemsNamed(description, 'not sent');
			const wasSent = (wanted: boolean) =>
				service
					.received()
					.filter(({ status }) => Number(status) < 300 === wanted)
					.map(itemOf)
					.sort((a, b) => a - b);
			expect(accepted).toEqual(wasSent(true));
			expect(unknown).toEqual(wasSent(false));
			expect(unknown).toEqual([itemIndex]);
			expect(unsent.length).toBeGreaterThan(0);
			expect([...accepted, ...unknown, ...unsent].sort((a, b) => a - b)).toEqual(
				numbered(20).map(({ n }) => n),
			);
		},
	);

	test.each(writes)(
		'$operation: with Retry On Fail the error tells of the items once, as they are after the last try',
		async ({ operation, parameters, itemOf }) => {
			const fails = { kind: 'status', status: 400 } as const;
			const service = await start({ faults: [{ ...fails, requests: { from: 6 } }] });
			const options = { concurrency: 3 };
			const result = await run(
				service,
				operation,
				{ ...parameters, options },
				{ input: numbered(20), retryOnFail: true },
			);
			const { message, description } = wordsOf(result);
			expect(service.received().length).toBeGreaterThan(6 + 1);
			for (const word of ['Items:', ' accepted (', ' refused (', message]) {
				expect(`${message}. ${description}`.split(`${word}`)).toHaveLength(2);
			}
			const accepted = service.received().filter(({ status }) => Number(status) < 300);
			expect(itemsNamed(description, 'accepted')).toEqual(
				accepted.map(itemOf).sort((a, b) => a - b),
			);
		},
	);
});
