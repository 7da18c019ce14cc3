/** Every failure that the stand-in can make, at the first, a middle and the last request of a run. */
import type { INodeParameters } from 'n8n-workflow';

import { nodeOperations } from '../../sandbox/operations.ts';
import type { FaultKind, Requests, Service } from '../../sandbox/service/service.ts';
import type { EngineRun } from './engine.ts';
import { hurry, idsOf, itemsNamed, messagesOf, run, startQuietly, wordsOf } from './service.ts';
import { stopTimeouts, timingOut } from './timeouts.ts';
import { numbered } from './writes.ts';

hurry();
stopTimeouts();

/** What becomes of a webhook call, as far as the node can know. */
type CallOutcome = 'accepted' | 'again' | 'refused' | 'unknown';

/** By kind, so that it does not compile when the stand-in has learned one that is missing here. */
const TABLE: {
	[Kind in FaultKind['kind']]: [fault: Extract<FaultKind, { kind: Kind }>, call: CallOutcome];
} = {
	dropBefore: [{ kind: 'dropBefore' }, 'unknown'],
	dropAfter: [{ kind: 'dropAfter' }, 'unknown'],
	dropMidBody: [{ kind: 'dropMidBody' }, 'unknown'],
	status: [{ kind: 'status', status: 500, processed: true }, 'unknown'],
	tooManyRequests: [{ kind: 'tooManyRequests' }, 'again'],
	html: [{ kind: 'html' }, 'unknown'],
	// With status 202, a webhook call is accepted whatever the body says.
	truncatedJson: [{ kind: 'truncatedJson' }, 'accepted'],
	emptyBody: [{ kind: 'emptyBody' }, 'accepted'],
	wrongShape: [{ kind: 'wrongShape' }, 'unknown'],
	neverAnswer: [{ kind: 'neverAnswer', processed: true }, 'unknown'],
	redirect: [{ kind: 'redirect', location: '/elsewhere' }, 'unknown'],
	delay: [{ kind: 'delay', ms: 30 }, 'accepted'],
};

const PAGE_SIZE = 50;
const PAGES = 5;
const ITEMS = 9;
const CONTINUE = { onError: 'continueRegularOutput' } as const;

interface Cell {
	fault: FaultKind;
	outcome: CallOutcome;
	/** The number of the request that is struck. */
	strikes: number;
}

/** Every fault at each of these requests. */
function cellsOf(places: readonly number[]): Cell[] {
	return Object.values(TABLE).flatMap(([fault, outcome]) =>
		places.map((strikes) => ({ fault, outcome, strikes })),
	);
}

const idle: Service[] = [];
afterAll(async () => {
	await Promise.all(idle.map((service) => service.close()));
});

/** Lends a service with a fault, since starting one takes long. No other cell has it meanwhile. */
async function withFault(
	fault: FaultKind,
	requests: Requests,
	check: (service: Service) => Promise<void>,
): Promise<void> {
	const messages = (PAGES - 1) * PAGE_SIZE + 30;
	const service = idle.pop() ?? (await startQuietly({ messages, rateLimit: { enabled: false } }));
	await service.configure({ faults: [{ ...fault, requests }] });
	try {
		await timingOut(service, async () => await check(service));
	} finally {
		idle.push(service);
	}
}

/** Some at once, but not all, so that something is left when a run stops. */
const OPTIONS: INodeParameters = { concurrency: 3 };

describe('a list of several pages that fails for good', () => {
	// The others only take their time.
	const cells = cellsOf([1, 3]).filter(
		({ fault }) => fault.kind !== 'delay' && fault.kind !== 'tooManyRequests',
	);

	/** The first page that an error says is missing: the first of all when none could be read. */
	const missingFrom = (words: unknown) =>
		Number(/Missing from the list: page (\d+) and all after it\./.exec(String(words))?.[1] ?? 1);

	test.concurrent.each(cells)(
		'is an error that names the missing pages: $fault, from request $strikes on',
		async (cell) => {
			const { fault, strikes } = cell;
			await withFault(fault, { from: strikes }, async (service) => {
				const list = async (more: Partial<EngineRun> = {}) => {
					await service.configure({ faults: [{ ...fault, requests: { from: strikes } }] });
					const options = { ...OPTIONS, maxRetries: 0 };
					return await run(service, 'message.getAll', { returnAll: true, options }, more);
				};
				const stopped = await list();
				expect(stopped.outputs.flat()).toEqual([]);
				expect(missingFrom(wordsOf(stopped).description) === 1).toBe(strikes === 1);

				// What was read comes out before the error, when it goes on.
				const { error, json } = await list(CONTINUE);
				const missing = missingFrom(json.at(-1)?.errorDescription);
				expect(error).toBeUndefined();
				expect(json.at(-1)?.error).toEqual(expect.any(String));
				expect(missing === 1).toBe(strikes === 1);
				const read = messagesOf(service).slice(0, (missing - 1) * PAGE_SIZE);
				expect(idsOf(json.slice(0, -1))).toEqual(idsOf(read));
			});
		},
	);
});

describe('webhook calls of which one fails', () => {
	const NUMBERS = numbered(ITEMS).map(({ n }) => Number(n));
	const MAY_HAVE_ACTED = /may have acted|may have processed the request, so check there/;
	const cells = cellsOf([1, 5, ITEMS]);
	const failing = cells.filter(({ outcome }) => outcome === 'refused' || outcome === 'unknown');
	const passing = cells.filter((cell) => !failing.includes(cell));

	/** Calls all items; `accepted` are those of this run that the service has accepted, doubles included. */
	async function invoke(service: Service, more: Partial<EngineRun> = {}) {
		const before = { received: service.received().length, accepted: service.accepted().length };
		const result = await run(
			service,
			'pipeline.invokeWebhook',
			{ ...nodeOperations['pipeline.invokeWebhook'].perItem, options: OPTIONS },
			{ input: numbered(ITEMS), ...more },
		);
		const accepted = service.accepted().slice(before.accepted);
		return {
			...result,
			requests: service.received().length - before.received,
			accepted: accepted.map(({ body }) => Number(body.n)).sort((a, b) => a - b),
		};
	}

	test.concurrent.each(passing)('are all accepted once: $fault, request $strikes', async (cell) => {
		await withFault(cell.fault, { exactly: cell.strikes }, async (service) => {
			const { error, accepted } = await invoke(service);
			expect(error).toBeUndefined();
			expect(accepted).toEqual(NUMBERS);
		});
	});

	test.concurrent.each(failing)(
		'stop with an error that says what became of each item: $fault, request $strikes',
		async (cell) => {
			await withFault(cell.fault, { exactly: cell.strikes }, async (service) => {
				const result = await invoke(service);
				const { accepted, requests } = result;
				const { description, itemIndex } = wordsOf(result);
				const done = itemsNamed(description, 'accepted');
				const unknown = itemsNamed(description, 'unknown');
				const failed = [...itemsNamed(description, 'refused'), ...unknown];
				const notSent = itemsNamed(description, 'not sent');
				expect([...done, ...failed, ...notSent].sort((a, b) => a - b)).toEqual(NUMBERS);
				expect(failed).toEqual([itemIndex]);
				expect(unknown).toEqual(cell.outcome === 'unknown' ? failed : []);
				expect(MAY_HAVE_ACTED.test(description)).toBe(cell.outcome === 'unknown');
				expect(accepted).toEqual([...new Set(accepted)]);
				expect(accepted).toEqual(expect.arrayContaining(done));
				expect([...done, ...unknown]).toEqual(expect.arrayContaining(accepted));
				expect(requests).toBe(done.length + failed.length);
			});
		},
	);

	test.concurrent.each(failing)(
		'go on, and the one that failed carries its error: $fault, request $strikes',
		async (cell) => {
			await withFault(cell.fault, { exactly: cell.strikes }, async (service) => {
				const { json, error, accepted, requests } = await invoke(service, CONTINUE);
				const failed = NUMBERS.filter((number) => typeof json[number]?.error === 'string');
				const done = NUMBERS.filter((number) => json[number]?.accepted === true);
				expect(error).toBeUndefined();
				expect(failed).toHaveLength(1);
				expect(done).toHaveLength(ITEMS - 1);
				expect(accepted).toEqual([...new Set(accepted)]);
				expect(accepted).toEqual(expect.arrayContaining(done));
				expect(requests).toBe(ITEMS);
				const words = String(json[failed[0] ?? 0]?.errorDescription);
				expect(MAY_HAVE_ACTED.test(words)).toBe(cell.outcome === 'unknown');
			});
		},
	);
});
