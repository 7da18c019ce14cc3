import { systemClock } from '../../../../nodes/MessagingService/n8n/clock';
import {
	type ParsedMessage,
	parseMessage,
} from '../../../../nodes/MessagingService/resources/message/message';
import { SharedLists } from '../../../../nodes/MessagingService/resources/message/sharedLists';

const PAGES = 3;

/** A list in memory that counts what is read of it. */
class Source {
	pagesRead = 0;

	/** Gives pages of one message each; fails after so many. */
	async *open(failsAfter = PAGES): AsyncGenerator<ParsedMessage[], void> {
		for (let page = 0; page < PAGES; page++) {
			if (page === failsAfter) throw new Error('no such page');
			this.pagesRead++;
			yield [parseMessage({ id: `list-${page}` })];
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

const WHOLE = Array.from({ length: PAGES }, (_, page) => `list-${page}`);

test('a failure is that of those who need more, and once they have gone, the list is read anew', async () => {
	const source = new Source();
	const lists = new SharedLists();
	const read = async (limit?: number) =>
		await idsIn(
			lists.read('list', () => source.open()),
			limit,
		);
	const early = lists.read('list', () => source.open(1));
	await early.next();
	const [enough, ...others] = await Promise.allSettled([read(1), read(), read(2)]);
	expect(enough).toEqual({ status: 'fulfilled', value: ['list-0'] });
	expect(others).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
	await expect(early.next()).rejects.toThrow('no such page');
	expect(await read()).toEqual(WHOLE);
});

test('a list is whole also for somebody who reads on before another one has begun with its new page', async () => {
	const source = new Source();
	const lists = new SharedLists();
	const open = () => source.open();
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
