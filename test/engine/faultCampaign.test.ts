/** Every failure that the stand-in can make, at the first, a middle and the last request of a run. */
import { nodeOperations } from '../../sandbox/operations.ts';
import type { FaultKind, Requests } from '../../sandbox/service/service.ts';
import type { EngineRun } from './engine.ts';
import { hurry, idsOf, itemsNamed, messagesOf, run, start, wordsOf } from './service.ts';
import { timingOut } from './timeouts.ts';
import { numbered } from './writes.ts';

hurry();

/** What becomes of a webhook call, as far as the node can know. */
type CallOutcome = 'accepted' | 'again' | 'refused' | 'unknown';

/** By kind, so that it does not compile when the stand-in has learned one that is missing here. */
const TABLE: {
	[Kind in FaultKind['kind']]: [fault: Extract<FaultKind, { kind: Kind }>, call: CallOutcome];
} = {
	dropBefore: [{ kind: 'dropBefore' }, 'unknown'],
	dropAfter: [{ kind: 'dropAfter' }, 'unknown'],
	status: [{ kind: 'status', status: 500, processed: true }, 'unknown'],
	tooManyRequests: [{ kind: 'tooManyRequests' }, 'again'],
	html: [{ kind: 'html' }, 'unknown'],
	// With status 202, a webhook call is accepted whatever becomes of the body.
	dropMidBody: [{ kind: 'dropMidBody' }, 'accepted'],
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

/** A service with a fault, and more messages than fit on a page. */
const startWith = (fault: FaultKind, requests: Requests) =>
	start({
		messages: (PAGES - 1) * PAGE_SIZE + 30,
		rateLimit: { enabled: false },
		faults: [{ ...fault, requests }],
	});

/** Some at once, but not all, so that something is left when a run stops. */
const maxCalls = 3;

describe('a list of several pages that fails for good', () => {
	// An empty body is no failure, but may be the end of a list.
	const cells = cellsOf([1, 3]).filter(
		({ fault: { kind } }) => kind !== 'delay' && kind !== 'emptyBody',
	);

	/** How many messages came before those that an error says are missing: none when no page could be read. */
	const readBefore = (words: unknown) =>
		Number(/: all after the first (\d+) messages\./.exec(String(words))?.[1] ?? 0);

	test.each(cells)(
		'is an error that says what is missing: $fault, from request $strikes on',
		async ({ fault, strikes }) => {
			const list = async (more: Partial<EngineRun> = {}) => {
				const service = await startWith(fault, { from: strikes });
				const parameters = { returnAll: true, options: { maxRetries: 0 } };
				const reading = () => run(service, 'message.getAll', parameters, { maxCalls, ...more });
				return { ...(await timingOut(service, reading)), messages: messagesOf(service) };
			};
			const stopped = await list();
			expect(stopped.outputs.flat()).toEqual([]);
			expect(readBefore(wordsOf(stopped).description)).toBe((strikes - 1) * PAGE_SIZE);

			// What was read comes out before the error, when it goes on.
			const { error, json, messages } = await list(CONTINUE);
			const before = readBefore(json.at(-1)?.errorDescription);
			expect(error).toBeUndefined();
			expect(json.at(-1)?.error).toEqual(expect.any(String));
			expect(before).toBe((strikes - 1) * PAGE_SIZE);
			expect(idsOf(json.slice(0, -1))).toEqual(idsOf(messages.slice(0, before)));
		},
	);
});

describe('webhook calls of which one fails', () => {
	const NUMBERS = numbered(ITEMS).map(({ n }) => Number(n));
	const cells = cellsOf([1, 5, ITEMS]);
	const failing = cells.filter(({ outcome }) => outcome === 'refused' || outcome === 'unknown');
	const passing = cells.filter((cell) => !failing.includes(cell));

	/** Calls all items; `accepted` are those that the service has accepted, doubles included. */
	async function startAgent({ fault, strikes }: Cell) {
		const service = await startWith(fault, { exactly: strikes });
		const { perItem } = nodeOperations['agent.start'];
		const more = { input: numbered(ITEMS), maxCalls };
		const result = await timingOut(service, () => run(service, 'agent.start', perItem, more));
		return {
			...result,
			requests: service.received().length,
			accepted: service
				.accepted()
				.map(({ body }) => Number(body.n))
				.sort((a, b) => a - b),
		};
	}

	test.each(passing)('are all accepted once: $fault, request $strikes', async (cell) => {
		const { error, accepted } = await startAgent(cell);
		expect(error).toBeUndefined();
		expect(accepted).toEqual(NUMBERS);
	});

	test.each(failing)(
		'stop with an error that says what became of each item: $fault, request $strikes',
		async (cell) => {
			const result = await startAgent(cell);
			const { accepted, requests } = result;
			const { description, itemIndex } = wordsOf(result);
			const done = itemsNamed(description, 'accepted');
			const unknown = itemsNamed(description, 'unknown');
			const failed = [...itemsNamed(description, 'refused'), ...unknown];
			const notSent = itemsNamed(description, 'not sent');
			expect([...done, ...failed, ...notSent].sort((a, b) => a - b)).toEqual(NUMBERS);
			expect(failed).toEqual([itemIndex]);
			expect(unknown).toEqual(cell.outcome === 'unknown' ? failed : []);
			expect(/may have acted/.test(description)).toBe(cell.outcome === 'unknown');
			expect(accepted).toEqual([...new Set(accepted)]);
			expect(accepted).toEqual(expect.arrayContaining(done));
			expect([...done, ...unknown]).toEqual(expect.arrayContaining(accepted));
			expect(requests).toBe(done.length + failed.length);
		},
	);
});
