import { systemClock } from '../../../../nodes/MessagingService/n8n/clock';
import {
	type ParsedMessage,
	parseMessage,
} from '../../../../nodes/MessagingService/resources/message/message';
import {
	MAX_LISTS,
	SharedLists,
} from '../../../../nodes/MessagingService/resources/message/sharedLists';

const PAGES = 3;

/** Lists in memory that count how many of them are read. */
class Source {
	/** How often each was begun. */
	readonly begun = new Map<string, number>();
	alive = 0;
	mostAlive = 0;
	pagesRead = 0;

	/** Gives pages of one message each; fails after so many. */
	async *open(name: string, failsAfter = PAGES): AsyncGenerator<ParsedMessage[], void> {
		this.begun.set(name, (this.begun.get(name) ?? 0) + 1);
		this.mostAlive = Math.max(this.mostAlive, ++this.alive);
		try {
			for (let page = 0; page < PAGES; page++) {
				if (page === failsAfter) throw new Error('no such page');
				this.pagesRead++;
				yield [parseMessage({ id: `${name}-${page}` })];
			}
		} finally {
			this.alive--;
		}
	}
}

/** The IDs in a list, up to a limit. */
async function idsIn(
	pages: AsyncIterable<readonly ParsedMessage[]>,
	limit = Infinity,
): Promise<unknown[]> {
	const ids: unknown[] = [];
	for await (const page of pages) {
		ids.push(...page.map(({ json }) => json.id));
		if (ids.length >= limit) break;
	}
	return ids;
}

async function until(isTrue: () => boolean): Promise<void> {
	while (!isTrue()) await new Promise(setImmediate);
}

const whole = (name: string) => Array.from({ length: PAGES }, (_, page) => `${name}-${page}`);

test('of many lists, a few are read at a time, each once for all who want it', async () => {
	const source = new Source();
	const lists = new SharedLists();
	const names = Array.from({ length: 100 }, (_, index) => `list ${index % 25}`);
	const found = await Promise.all(
		names.map(async (name) => await idsIn(lists.read(name, () => source.open(name)))),
	);
	expect(found).toEqual(names.map(whole));
	expect(source.mostAlive).toBe(MAX_LISTS);
	expect(source.alive).toBe(0);
	expect([...source.begun.values()]).toEqual(Array.from({ length: 25 }, () => 1));
});

test('a list is let go of when nobody wants more of it, and its place goes to the next', async () => {
	const source = new Source();
	const lists = new SharedLists();
	for (let index = 0; index < 3 * MAX_LISTS; index++) {
		const name = `list ${index}`;
		expect(
			await idsIn(
				lists.read(name, () => source.open(name)),
				1,
			),
		).toEqual([`${name}-0`]);
		expect(source.alive).toBe(0);
	}
	expect(source.pagesRead).toBe(3 * MAX_LISTS);
	expect(await idsIn(lists.read('list 0', () => source.open('list 0')))).toEqual(whole('list 0'));
});

test('a failure is that of those who need more, and once they have gone, the list is read anew', async () => {
	const source = new Source();
	const lists = new SharedLists();
	const read = async (limit?: number) =>
		await idsIn(
			lists.read('list', () => source.open('list')),
			limit,
		);
	const early = lists.read('list', () => source.open('list', 1));
	await early.next();
	const [enough, ...others] = await Promise.allSettled([read(1), read(), read(2)]);
	expect(enough).toEqual({ status: 'fulfilled', value: ['list-0'] });
	expect(others).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
	await expect(early.next()).rejects.toThrow('no such page');
	expect(await read()).toEqual(whole('list'));
});

test('who comes late gets the list from its beginning', async () => {
	const source = new Source();
	const lists = new SharedLists();
	const early = lists.read('list', () => source.open('list'));
	await early.next();
	await early.next();
	const late = await idsIn(lists.read('list', () => source.open('list')));
	expect(late).toEqual(whole('list'));
	expect(source.begun.get('list')).toBe(1);
	await early.return();
	expect(source.alive).toBe(0);
});

test('a list is whole also for somebody who reads on before another one has begun with its new page', async () => {
	const source = new Source();
	const lists = new SharedLists();
	const open = () => source.open('list');
	const slow = lists.read('list', open);
	const quick = lists.read('list', open);
	await Promise.all([slow.next(), quick.next()]);
	// Those who wait for the second page wait for longer than somebody who comes when it is there.
	let go = () => {};
	const wait = jest.spyOn(systemClock, 'wait');
	wait.mockImplementationOnce(async () => await new Promise((resolve) => (go = resolve)));
	wait.mockImplementation(async () => {});
	const second = slow.next();
	await until(() => source.pagesRead === 2 && wait.mock.calls.length > 0);
	const others = idsIn(quick);
	await until(() => wait.mock.calls.length > 1);
	for (let turn = 0; turn < 20; turn++) await Promise.resolve();
	go();
	expect(await others).toEqual(['list-1', 'list-2']);
	await second;
	wait.mockRestore();
});
