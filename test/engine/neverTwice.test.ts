import { setTimeout as sleep } from 'node:timers/promises';

import { nodeOperations } from '../../sandbox/operations.ts';
import type { Fault, FaultKind, Service } from '../../sandbox/service/service.ts';
import { withService } from '../service/client.ts';
import { demoTeam, findNobody, idsOf, run, start } from './service.ts';
import { lists, numbered, writes } from './writes.ts';
import type { Write } from './writes.ts';

const ITEMS = 3;

/** How many requests came for each item. */
function requestsPerItem(service: Service, { itemOf }: Write): number[] {
	const counts = Array.from({ length: ITEMS }, () => 0);
	for (const request of service.received()) {
		const item = itemOf(request);
		counts[item] = (counts[item] ?? 0) + 1;
	}
	return counts;
}

/** Whether the request's body is not read, so that its item is not known. */
const isUnread = ({ kind }: FaultKind) => kind === 'dropBefore';

/** A short time-out only where it is waited for. */
const timeoutFor = ({ kind }: FaultKind) => (kind === 'neverAnswer' ? { timeout: 3_000 } : {});

const uncertain: FaultKind[] = [
	{ kind: 'dropBefore' },
	{ kind: 'dropAfter' },
	{ kind: 'dropMidBody' },
	{ kind: 'status', status: 500 },
	{ kind: 'status', status: 500, processed: true },
	{ kind: 'status', status: 502 },
	{ kind: 'status', status: 503, processed: true },
	{ kind: 'status', status: 504 },
	{ kind: 'neverAnswer', processed: true },
	{ kind: 'html' },
	{ kind: 'truncatedJson' },
	{ kind: 'wrongShape' },
	{ kind: 'redirect', location: '/elsewhere', status: 307 },
];

describe.each(writes)('$operation', (write) => {
	const { operation, parameters } = write;

	test.concurrent.each(uncertain)(
		'is sent once per item when the service may have acted: %j',
		async (fault) => {
			await withService({ faults: [fault], agent: { enabled: false } }, async (service) => {
				const result = await run(
					service,
					operation,
					{ ...parameters, options: timeoutFor(fault) },
					{ input: numbered(ITEMS), onError: 'continueRegularOutput' },
				);
				expect(result.json).toHaveLength(ITEMS);
				expect(service.received()).toHaveLength(ITEMS);
				if (!isUnread(fault)) expect(requestsPerItem(service, write)).toEqual([1, 1, 1]);
			});
		},
	);

	test('is sent once per item when the execution stops at the first failure', async () => {
		const service = await start({ faults: [{ kind: 'dropAfter', requests: { first: 1 } }] });
		await run(service, operation, parameters, { input: numbered(ITEMS) });
		expect(Math.max(...requestsPerItem(service, write))).toBe(1);
	});
});

/** Runs the same test of all writes at once, since each waits for its next try. */
const ofAllWrites = (check: (write: Write) => Promise<void>) => Promise.all(writes.map(check));

test('every write that was refused with 429 is sent again, and processed once', async () => {
	await ofAllWrites(async (write) => {
		const fault: Fault = { kind: 'tooManyRequests', requests: { first: 2 } };
		const service = await start({ faults: [fault] });
		const { operation, parameters } = write;
		const result = await run(service, operation, parameters, { input: numbered(ITEMS) });
		expect(result.error).toBeUndefined();
		expect(result.json).toHaveLength(ITEMS);
		const processed = service
			.received()
			.filter(({ status }) => status !== 429)
			.map((request) => write.itemOf(request));
		expect(processed.sort()).toEqual([0, 1, 2]);
		expect(service.received()).toHaveLength(ITEMS + 2);
	});
});

test('every write is sent as soon as a service that refused connections is there', async () => {
	await ofAllWrites(async (write) => {
		const gone = await findNobody();
		const running = run(gone, write.operation, write.parameters, { input: numbered(ITEMS) });
		await sleep(100);
		const service = await start({ port: gone.port });
		const result = await running;
		expect(result.error).toBeUndefined();
		expect(requestsPerItem(service, write)).toEqual([1, 1, 1]);
	});
});

describe('a webhook call that may be repeated after a server error', () => {
	const faults: FaultKind[] = [
		{ kind: 'dropAfter' },
		{ kind: 'status', status: 500 },
		{ kind: 'status', status: 503 },
		{ kind: 'neverAnswer' },
	];

	const operation = 'pipeline.invokeWebhook';
	const { perItem } = nodeOperations[operation];

	test('is sent until it is through', async () => {
		await Promise.all(
			faults.map(async (fault) => {
				const service = await start({ faults: [{ ...fault, requests: { first: 2 } }] });
				const options = { retryOnServerError: true, ...timeoutFor(fault) };
				const parameters = { ...perItem, options };
				const result = await run(service, operation, parameters, { input: [{ n: 0 }] });
				expect(result.error).toBeUndefined();
				expect(result.json).toMatchObject([{ accepted: true }]);
				expect(service.received()).toHaveLength(3);
			}),
		);
	});

	test('is given up after as many retries as the option says', async () => {
		const service = await start({ faults: [{ kind: 'status', status: 503 }] });
		const options = { retryOnServerError: true, maxRetries: 1 };
		const parameters = { ...perItem, options };
		const result = await run(service, operation, parameters, { input: [{ n: 0 }] });
		expect(result.error).toBeDefined();
		expect(service.received()).toHaveLength(2);
	});
});

describe('a list is read again after what passes by itself', () => {
	const passing: FaultKind[] = [
		{ kind: 'tooManyRequests' },
		{ kind: 'status', status: 502 },
		{ kind: 'status', status: 503 },
		{ kind: 'status', status: 504 },
		{ kind: 'dropBefore' },
		{ kind: 'dropAfter' },
		{ kind: 'dropMidBody' },
		{ kind: 'neverAnswer' },
	];
	const cases = lists.flatMap((list) => passing.map((fault) => ({ ...list, fault })));

	test.concurrent.each(cases)('$operation after $fault', async ({ operation, list, fault }) => {
		const options = {
			inboxes: 120,
			templates: 120,
			faults: [2, 3].map((exactly): Fault => ({ ...fault, requests: { exactly } })),
		};
		await withService(options, async (service) => {
			const parameters = { returnAll: true, options: timeoutFor(fault) };
			const result = await run(service, operation, parameters);
			const expected = list(demoTeam(service));
			expect(result.error).toBeUndefined();
			expect(idsOf(result.json)).toEqual(idsOf(expected));
			expect(service.received()).toHaveLength(Math.ceil(expected.length / 50) + 2);
		});
	});

	test('and not after what does not', async () => {
		const service = await start({ faults: [{ kind: 'status', status: 500 }] });
		await run(service, 'inbox.getAll', { returnAll: true });
		expect(service.received()).toHaveLength(1);
	});
});
