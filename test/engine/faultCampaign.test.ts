/** Every failure that the stand-in can make, at the first, a middle and the last request of a run. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { FaultKind, Requests, Service } from '../../sandbox/service/service.ts';
import type { EngineRun } from './engine.ts';
import { hurry, idsOf, itemsNamed, messagesOf, run, startQuietly, wordsOf } from './service.ts';
import { byId, known, numbered } from './writes.ts';

hurry();

/** What becomes of a page of a list. */
type PageOutcome =
	| 'read'
	/** Asked for again; missing only if the fault lasts. */
	| 'again'
	| 'missing';

/** What becomes of a webhook call, as far as the node can know. */
type CallOutcome =
	| 'accepted'
	/** Sent again until it is accepted. */
	| 'again'
	/** Certainly not accepted. */
	| 'refused'
	/** Nobody knows, so it is not sent again. */
	| 'unknown';

type Row<Kind> = [fault: Extract<FaultKind, { kind: Kind }>, page: PageOutcome, call: CallOutcome];

/**
 * By kind, so that it does not compile when the stand-in has learned one that is missing here. Which status is
 * repeated is a matter of the unit tests.
 */
const TABLE: { [Kind in FaultKind['kind']]: Array<Row<Kind>> } = {
	dropBefore: [[{ kind: 'dropBefore' }, 'again', 'unknown']],
	dropAfter: [[{ kind: 'dropAfter' }, 'again', 'unknown']],
	dropMidBody: [[{ kind: 'dropMidBody' }, 'again', 'unknown']],
	status: [
		[{ kind: 'status', status: 500, processed: true }, 'missing', 'unknown'],
		[{ kind: 'status', status: 503 }, 'again', 'unknown'],
	],
	tooManyRequests: [[{ kind: 'tooManyRequests' }, 'again', 'again']],
	html: [[{ kind: 'html' }, 'missing', 'unknown']],
	// With status 202, a webhook call is accepted whatever the body says.
	truncatedJson: [[{ kind: 'truncatedJson' }, 'missing', 'accepted']],
	emptyBody: [[{ kind: 'emptyBody' }, 'missing', 'accepted']],
	wrongShape: [[{ kind: 'wrongShape' }, 'missing', 'unknown']],
	neverAnswer: [[{ kind: 'neverAnswer', processed: true }, 'again', 'unknown']],
	redirect: [[{ kind: 'redirect', location: '/elsewhere' }, 'missing', 'refused']],
	delay: [[{ kind: 'delay', ms: 30 }, 'read', 'accepted']],
};

const ROWS: ReadonlyArray<Row<FaultKind['kind']>> = Object.values(TABLE).flat();
const PLACES = ['first', 'middle', 'last'] as const;
const LASTS = [false, true];

const PAGE_SIZE = 50;
const PAGES = 5;
const ITEMS = 9;
/** Some at once, but not all, so that something is left when a run stops. */
const CONCURRENCY = 3;
const CONTINUE = { onError: 'continueRegularOutput' } as const;

interface Cell<Outcome> {
	fault: FaultKind;
	place: (typeof PLACES)[number];
	/** Whether it strikes all requests from there on, and not just one. */
	lasts: boolean;
	outcome: Outcome;
}

/** The rows of a column, each at every place, once and lasting. */
function cellsOf<Outcome>(column: (row: Row<FaultKind['kind']>) => Outcome): Array<Cell<Outcome>> {
	return ROWS.flatMap((row) => {
		const [fault] = row;
		// Waiting for time-outs takes long.
		const places = fault.kind === 'neverAnswer' ? (['middle'] as const) : PLACES;
		return places.flatMap((place) =>
			LASTS.map((lasts) => ({ fault, place, lasts, outcome: column(row) })),
		);
	});
}

/** The number of the first request that is struck, of so many. */
function strikesFrom({ place }: Pick<Cell<unknown>, 'place'>, count: number): number {
	return { first: 1, middle: Math.ceil(count / 2), last: count }[place];
}

const idle: Service[] = [];
afterAll(async () => {
	await Promise.all(idle.map((service) => service.close()));
});

/** What the service of a cell has seen since the cell began. */
interface Seen {
	service: Service;
	/** How many requests came. */
	requests(): number;
	/** The items that were accepted, doubles included, in ascending order. */
	accepted(): number[];
}

/** Lends a service to a cell, since starting one costs more than the cell. No other has it meanwhile. */
async function withFault<Outcome>(
	cell: Cell<Outcome>,
	count: number,
	check: (seen: Seen) => Promise<void>,
): Promise<void> {
	const messages = (PAGES - 1) * PAGE_SIZE + 30;
	const service = idle.pop() ?? (await startQuietly({ messages, rateLimit: { enabled: false } }));
	const number = strikesFrom(cell, count);
	const requests: Requests = cell.lasts ? { from: number } : { exactly: number };
	await service.configure({ faults: [{ ...cell.fault, requests }] });
	const before = { received: service.received().length, accepted: service.accepted().length };
	try {
		await check({
			service,
			requests: () => service.received().length - before.received,
			accepted: () =>
				service
					.accepted()
					.slice(before.accepted)
					.map(({ body }) => Number(body.n))
					.sort((a, b) => a - b),
		});
	} finally {
		idle.push(service);
	}
}

/** The same test of every cell. */
function campaign<Outcome>(
	name: string,
	cells: ReadonlyArray<Cell<Outcome>>,
	count: number,
	check: (cell: Cell<Outcome>, seen: Seen) => Promise<void>,
): void {
	test.concurrent.each(cells)(`${name}: $fault, $place request, lasts: $lasts`, async (cell) => {
		await withFault(cell, count, async (seen) => await check(cell, seen));
	});
}

function optionsFor({ fault, lasts }: Cell<unknown>): INodeParameters {
	return {
		concurrency: CONCURRENCY,
		...(fault.kind === 'neverAnswer' ? { timeout: 2_000 } : {}),
		...(lasts ? { maxRetries: 0 } : {}),
	};
}

describe('a list of several pages', () => {
	const cells = cellsOf(([, page]) => page);
	const isComplete = ({ outcome, lasts }: Cell<PageOutcome>) =>
		outcome === 'read' || (outcome === 'again' && !lasts);

	const list = async (service: Service, cell: Cell<PageOutcome>, more: Partial<EngineRun> = {}) =>
		await run(service, 'message.getAll', { returnAll: true, options: optionsFor(cell) }, more);

	/** The pages that an error says are missing: all of them when not even the first could be read. */
	function missingPages(words: string): number[] {
		const [, from = 1] = /Missing from the list: page (\d+) and all after it\./.exec(words) ?? [];
		const all = Array.from({ length: PAGES }, (_, index) => index + 1);
		return all.filter((page) => page >= Number(from));
	}

	const onPages = (items: readonly object[], pages: readonly number[]) =>
		pages.flatMap((page) => idsOf(items.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)));

	campaign(
		'is complete and in order',
		cells.filter(isComplete),
		PAGES,
		async (cell, { service }) => {
			const { error, json } = await list(service, cell);
			expect(error).toBeUndefined();
			expect(idsOf(json)).toEqual(idsOf(messagesOf(service)));
		},
	);

	const incomplete = cells.filter((cell) => !isComplete(cell));

	campaign(
		'is an error that names the missing pages',
		incomplete,
		PAGES,
		async (cell, { service }) => {
			const result = await list(service, cell);
			const missing = missingPages(wordsOf(result).description);
			expect(result.outputs.flat()).toEqual([]);
			expect(missing.length).toBeGreaterThan(0);
			expect(missing.length === PAGES).toBe(cell.place === 'first');
		},
	);

	campaign(
		'gives what was read and then the error, when it goes on',
		incomplete,
		PAGES,
		async (cell, { service }) => {
			const { error, json } = await list(service, cell, CONTINUE);
			const items = json.slice(0, -1);
			const failure = json.at(-1);
			const missing = missingPages(String(failure?.errorDescription));
			const read = Array.from({ length: PAGES }, (_, index) => index + 1).filter(
				(page) => !missing.includes(page),
			);
			expect(error).toBeUndefined();
			expect(failure?.error).toEqual(expect.any(String));
			expect(missing.length === PAGES).toBe(cell.place === 'first');
			expect(idsOf(items)).toEqual(onPages(messagesOf(service), read));
		},
	);
});

describe('webhook calls', () => {
	const NUMBERS = numbered(ITEMS).map(({ n }) => Number(n));
	const MAY_HAVE_ACTED = /may have acted|accepted the request, so check there/;

	// A service that always answers 429 is waited for as long as it takes.
	const cells = cellsOf(([, , call]) => call).filter(
		({ outcome, lasts }) => !(outcome === 'again' && lasts),
	);
	const allAccepted = ({ outcome }: Cell<CallOutcome>) =>
		outcome === 'accepted' || outcome === 'again';

	const invoke = async (service: Service, cell: Cell<CallOutcome>, more: Partial<EngineRun> = {}) =>
		await run(
			service,
			'pipeline.invokeWebhook',
			{ webhookId: byId(known.webhookId), payloadMode: 'input', options: optionsFor(cell) },
			{ input: numbered(ITEMS), ...more },
		);

	campaign(
		'are all accepted once',
		cells.filter(allAccepted),
		ITEMS,
		async (cell, { service, ...seen }) => {
			const { error, json } = await invoke(service, cell);
			expect(error).toBeUndefined();
			expect(json.map(({ webhookBody }) => Object(webhookBody).n)).toEqual(NUMBERS);
			expect(seen.accepted()).toEqual(NUMBERS);
		},
	);

	const failing = cells.filter((cell) => !allAccepted(cell));

	campaign(
		'stop with an error that says what became of each item',
		failing,
		ITEMS,
		async (cell, { service, ...seen }) => {
			const { description, itemIndex } = wordsOf(await invoke(service, cell));
			const done = itemsNamed(description, 'accepted');
			const unknown = itemsNamed(description, 'unknown');
			const failed = [...itemsNamed(description, 'refused'), ...unknown];
			const notSent = itemsNamed(description, 'not sent');
			const accepted = seen.accepted();
			expect([...done, ...failed, ...notSent].sort((a, b) => a - b)).toEqual(NUMBERS);
			expect(failed).toContain(itemIndex);
			expect(MAY_HAVE_ACTED.test(description)).toBe(cell.outcome === 'unknown');
			expect(unknown).toEqual(cell.outcome === 'unknown' ? failed : []);
			expect(accepted).toEqual([...new Set(accepted)]);
			expect(accepted).toEqual(expect.arrayContaining(done));
			expect(seen.requests()).toBe(done.length + failed.length);
			const mayBeAccepted = cell.outcome === 'unknown' ? [...done, ...failed] : done;
			expect(mayBeAccepted).toEqual(expect.arrayContaining(accepted));
		},
	);

	campaign(
		'go on, and each that failed carries its error',
		failing,
		ITEMS,
		async (cell, { service, ...seen }) => {
			const { error, outputs } = await invoke(service, cell, CONTINUE);
			const [items = []] = outputs;
			const numbersOf = (wanted: (json: IDataObject) => boolean) =>
				NUMBERS.filter((number) => wanted(items[number]?.json ?? {}));
			const done = numbersOf((json) => json.accepted === true);
			const failed = numbersOf((json) => typeof json.error === 'string');
			const accepted = seen.accepted();
			expect(error).toBeUndefined();
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(NUMBERS.map((item) => ({ item })));
			expect(failed).toHaveLength(cell.lasts ? ITEMS + 1 - strikesFrom(cell, ITEMS) : 1);
			expect([...done, ...failed].sort((a, b) => a - b)).toEqual(NUMBERS);
			for (const number of failed) {
				const words = String(items[number]?.json.errorDescription);
				expect(MAY_HAVE_ACTED.test(words)).toBe(cell.outcome === 'unknown');
			}
			expect(accepted).toEqual([...new Set(accepted)]);
			expect(accepted).toEqual(expect.arrayContaining(done));
			expect(seen.requests()).toBe(ITEMS);
			const mayBeAccepted = cell.outcome === 'unknown' ? NUMBERS : done;
			expect(mayBeAccepted).toEqual(expect.arrayContaining(accepted));
		},
	);
});
