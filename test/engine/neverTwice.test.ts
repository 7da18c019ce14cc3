/** Writes are sent once when in doubt and again when refused; reads are sent again after what passes by itself. */
import type { ServerResponse } from 'node:http';

import { nodeOperations } from '../../sandbox/operations.ts';
import type { Fault, FaultKind, Service } from '../../sandbox/service/service.ts';
import { clock } from './engine.ts';
import { demoTeam, findNobody, hurry, idsOf, run, start, startStranger } from './service.ts';
import { timingOut } from './timeouts.ts';
import { lists, numbered, unknowable, writes, type Write } from './writes.ts';

hurry();

/** The items that requests came for, in ascending order. */
function itemsOf({ itemOf }: Write, requests: ReturnType<Service['received']>): number[] {
	return requests.map(itemOf).sort((a, b) => a - b);
}

const upTo = (count: number) => numbered(count).map(({ n }) => n);

/** Runs the same test of all writes at once, since each has to wait. */
const ofAllWrites = (check: (write: Write) => Promise<void>) => Promise.all(writes.map(check));

test('every write is sent once per item when the service may have acted, whatever went wrong', async () => {
	const kinds: FaultKind[] = [...unknowable, { kind: 'truncatedJson' }];
	// One for each item.
	const faults = kinds.map((fault, n): Fault => ({ ...fault, requests: { exactly: n + 1 } }));
	await ofAllWrites(async (write) => {
		const { operation, parameters } = write;
		const service = await start({ faults });
		const input = numbered(faults.length);
		const more = { input, onError: 'continueRegularOutput', maxCalls: 1 } as const;
		const result = await timingOut(service, () => run(service, operation, parameters, more));
		const [unread, ...read] = service.received();
		expect(result.json).toHaveLength(faults.length);
		expect(unread?.body).toBeUndefined();
		expect({ operation, sent: itemsOf(write, read) }).toEqual({
			operation,
			sent: upTo(faults.length).slice(1),
		});
	});
});

test('every write that was refused with 429 is sent again, and processed once', async () => {
	await ofAllWrites(async (write) => {
		const service = await start({ faults: [{ kind: 'tooManyRequests', requests: { first: 2 } }] });
		const { operation, parameters } = write;
		const result = await run(service, operation, parameters, { input: numbered(3) });
		const processed = service.received().filter(({ status }) => status !== 429);
		expect(result.error).toBeUndefined();
		expect(result.json).toHaveLength(3);
		expect({ operation, items: itemsOf(write, processed) }).toEqual({ operation, items: upTo(3) });
		expect(service.received()).toHaveLength(3 + 2);
	});
});

test('every write is sent as soon as a service that refused connections is there', async () => {
	await ofAllWrites(async (write) => {
		const gone = await findNobody();
		const parameters = { ...write.parameters, options: { maxRetries: 1_000 } };
		const running = run(gone, write.operation, parameters, { input: numbered(3) });
		let service: Service | undefined;
		await clock.whenPausing(async () => (service = await start({ port: gone.port })));
		const { error } = await running;
		expect(error).toBeUndefined();
		expect(itemsOf(write, service?.received() ?? [])).toEqual(upTo(3));
	});
});

test.each<FaultKind>([
	{ kind: 'dropAfter' },
	{ kind: 'status', status: 500 },
	{ kind: 'status', status: 503 },
	{ kind: 'neverAnswer' },
])('a webhook call that may be repeated is sent until it is through: %j', async (fault) => {
	const service = await start({ faults: [{ ...fault, requests: { first: 2 } }] });
	const { minimal } = nodeOperations['agent.start'];
	const parameters = { ...minimal, options: { retryUnknown: true } };
	const { json } = await timingOut(service, () => run(service, 'agent.start', parameters));
	expect(json).toMatchObject([{ outcome: 'accepted' }]);
	expect(service.received()).toHaveLength(3);
});

test.each(lists)(
	'$operation is read on after whatever passes by itself',
	async ({ operation, list, parameters }) => {
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
		// Each page fails once, in another way.
		const faults = passing.map((fault, page): Fault => {
			return { ...fault, requests: { exactly: 2 * page + 1 } };
		});
		const size = passing.length * 50;
		const service = await start({ messages: size, inboxes: size, templates: size, faults });
		const { json, error } = await timingOut(service, () =>
			run(service, operation, parameters, { maxCalls: 1 }),
		);
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(idsOf(list(demoTeam(service))));
		expect(service.received()).toHaveLength(2 * passing.length);
	},
);

/** Answers that break behind their status, and whether that status has come. */
const BROKEN: Array<[name: string, answer: (response: ServerResponse, status: number) => void]> = [
	[
		'is not the gzip that it is said to be',
		(response, status) => response.writeHead(status, { 'content-encoding': 'gzip' }).end('no gzip'),
	],
	[
		'is cut off',
		(response, status) => {
			response.writeHead(status, { 'content-length': '10' }).write('1', () => response.destroy());
		},
	],
	[
		'never ends',
		(response, status) => response.writeHead(status, { 'content-length': '10' }).flushHeaders(),
	],
];

describe.each(BROKEN)('a webhook call whose answer %s', (_name, answer) => {
	const { minimal } = nodeOperations['agent.start'];
	const options = { timeout: 1_000 };

	test.each([
		[202, 'accepted'],
		[200, 'unknown'],
	])('is, with status %i, %s', async (status, outcome) => {
		const service = await startStranger((response) => answer(response, status));
		const more = { onError: 'continueRegularOutput' } as const;
		const { json } = await run(service, 'agent.start', { ...minimal, options }, more);
		expect(json).toMatchObject([{ outcome }]);
		expect(service.requests).toHaveLength(1);
	});
});
