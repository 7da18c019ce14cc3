import type { IDataObject } from 'n8n-workflow';
import { IncompleteList } from '../../../nodes/MessagingService/api/list';
import { getList, mapList } from '../../../nodes/MessagingService/resources/list';
import type { Item, Run } from '../../../nodes/MessagingService/resources/operation';
import { clientOf } from '../helpers/api';
import { fake } from '../helpers/fake';
import { type Dialect, type Fault, ListService, PLAIN } from '../helpers/listService';
import { VirtualClock } from '../helpers/virtualClock';

const WORDS = { items: 'messages', ignoredFilter: 'Name it.', ignoredPage: 'Call it by its name.' };

interface Case extends Partial<Dialect> {
	faults?: Fault[];
	startPage?: number;
	limit?: number;
	keep?: (item: IDataObject) => boolean;
	size?: number;
}

/** Reads a list of a service with 120 messages. */
async function read({ faults, startPage, limit = Infinity, keep, size = 120, ...dialect }: Case) {
	const clock = new VirtualClock();
	const all = Array.from({ length: size }, (_, i) => ({ id: i + 1 }));
	const service = new ListService({ ...PLAIN, ...dialect }, all, faults);
	const client = clientOf(service.http(clock), clock, { transport: { maxRetries: 0 } });
	const hints: string[] = [];
	const notices = { add: (words: string, type = 'warning') => hints.push(`${type}: ${words}`) };
	const list = getList(
		fake<Run>({ notices }),
		fake<Item>({ client }),
		{
			request: { method: 'GET', path: '/public/messages', repeat: 'idempotent' },
			limitParameter: 'limit',
			pageParameter: 'page',
			limit,
			startPage,
			newFilter: keep && (() => ({ isWanted: keep })),
			isUnmatched: keep && ((item) => !keep(item)),
		},
		WORDS,
	);
	const changed = mapList(list, ({ id }) => ({ number: id }));
	try {
		const items = await clock.run(changed);
		return { items, hints };
	} catch (error) {
		if (!(error instanceof IncompleteList)) throw error;
		return { items: error.items, hints, error };
	}
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => ({ number: i + 1 }));

test.each([
	['everything', {}, 120],
	['what the limit allows', { limit: 70, total: 'tooLarge' }, 70],
	['a page that comes again, which is enough', { limit: 50, ignoresPage: true }, 50],
] satisfies Array<[string, Case, number]>)(
	'a list without a remark: %s',
	async (_name, given, count) => {
		expect(await read(given)).toEqual({ items: numbers(count), hints: [] });
	},
);

const AGAIN =
	/^warning: The service returned the same page of messages twice.*Call it by its name\.$/;

test.each([
	['nothing', { size: 0 }, 0, /^info: The service returned no messages that match\.$/],
	['a total too large', { total: 'tooLarge' }, 120, /^warning: .*reported 127 more messages/],
	['a page again', { ignoresPage: true, total: 'missing', links: 'none' }, 50, AGAIN],
	[
		'a small page again',
		{ ignoresPage: true, total: 'missing', links: 'none', maxPageSize: 20 },
		20,
		/^info: The service returned the same page of messages twice.*Call it by its name\.$/,
	],
	['a chosen page again', { ignoresPage: true, startPage: 1 }, 50, AGAIN],
	[
		'what a filter excludes',
		{ keep: ({ id }) => Number(id) <= 30 },
		30,
		/^warning: The service returned messages that do not match the filters, so this node removed them.*Name it\.$/,
	],
] satisfies Array<[string, Case, number, RegExp]>)(
	'a list with a remark: %s',
	async (_name, given, count, words) => {
		const { items, hints } = await read(given);
		expect(items).toEqual(numbers(count));
		expect(hints).toEqual([expect.stringMatching(words)]);
	},
);

test('an error holds what was read beside the pages that fail, and names these', async () => {
	const { items, error } = await read({ faults: [{ page: 1, times: 1 }] });
	expect(items).toHaveLength(70);
	expect(error).toMatchObject({ pages: '2', cause: { status: 503 } });
});

test('a page that comes again and again is an error where the service announced more', async () => {
	const { items, error } = await read({ ignoresPage: true });
	expect(items).toEqual(numbers(50));
	expect(error?.cause).toHaveProperty('description', expect.stringContaining('70 of its messages'));
	expect(error?.pages).toBeUndefined();
});
