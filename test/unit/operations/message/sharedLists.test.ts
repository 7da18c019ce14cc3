import { ParsedMessage } from '../../../../nodes/MessagingService/operations/message/message';
import {
	MAX_LISTS,
	SharedLists,
} from '../../../../nodes/MessagingService/operations/message/sharedLists';

const PAGES = 3;

/** A list in memory that counts what is read of it. */
class Source {
	pagesRead = 0;

	/** Gives pages of one message each; fails after so many. */
	async *open(failsAfter = PAGES): AsyncGenerator<ParsedMessage[], void> {
		for (let page = 0; page < PAGES; page++) {
			if (page === failsAfter) throw new Error('no such page');
			this.pagesRead++;
			yield [new ParsedMessage({ id: `list-${page}` })];
		}
	}
}

/** The IDs in a list, up to a limit. */
async function idsIn(
	pages: AsyncIterable<readonly ParsedMessage[]>,
	limit = Infinity,
): Promise<string[]> {
	const ids: string[] = [];
	for await (const page of pages) {
		ids.push(...page.map(({ id }) => id));
		if (ids.length >= limit) break;
	}
	return ids;
}

const WHOLE = Array.from({ length: PAGES }, (_, page) => `list-${page}`);

test('a failure is that of those who need more, and whoever comes later reads anew', async () => {
	const source = new Source();
	const lists = new SharedLists();
	const read = async (limit?: number) =>
		await idsIn(
			lists.read('list', () => source.open(source.pagesRead > 0 ? PAGES : 1)),
			limit,
		);
	const [enough, ...others] = await Promise.allSettled([read(1), read(), read(2)]);
	expect(enough).toEqual({ status: 'fulfilled', value: ['list-0'] });
	expect(others).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
	expect(await read()).toEqual(WHOLE);
});

test('a few lists are kept', async () => {
	const source = new Source();
	const lists = new SharedLists();
	const keys = Array.from({ length: MAX_LISTS + 1 }, (_, index) => `${index}`);
	for (const key of [...keys, ...keys.slice(1), keys[0] ?? '']) {
		await idsIn(lists.read(key, () => source.open()));
	}
	expect(source.pagesRead).toBe((keys.length + 1) * PAGES);
});
