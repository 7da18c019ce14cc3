import type { IDataObject } from 'n8n-workflow';
import { type Verdict, WHOLE } from '../../../nodes/MessagingService/api/listProgress';
import { type Pages, SharedLists, take } from '../../../nodes/MessagingService/operations/lists';

const PAGES = 3;
const WHOLE_LIST = Array.from({ length: PAGES }, (_, id) => ({ id }));

/** Lists in memory, which count what is read of them. */
class Source {
	readonly lists = new SharedLists<IDataObject[]>();
	pagesRead = 0;
	/** How each list ends. */
	verdict: Verdict = WHOLE;

	/** Takes entries of a list, which has one on each page. */
	async take(key: string, limit = Infinity) {
		const pages = this.lists.read(key, () => this.open());
		return await take(pages, limit, (page) => page);
	}

	private async *open(): Pages<IDataObject[]> {
		const { verdict } = this;
		for (const entry of WHOLE_LIST) {
			this.pagesRead++;
			yield [entry];
			if (verdict.kind === 'error') return verdict;
		}
		return verdict;
	}
}

test('a failure is that of all who need more, and whoever comes later reads anew', async () => {
	const source = new Source();
	source.verdict = { kind: 'error', read: 1, failure: Object.create(null) };
	const failed = { items: WHOLE_LIST.slice(0, 1), verdict: source.verdict };
	const takes = [source.take('list', 1), source.take('list'), source.take('list', 2)];
	const [enough, ...others] = await Promise.all(takes);
	expect(enough?.verdict).toEqual(WHOLE);
	expect(others).toEqual([failed, failed]);
	source.verdict = WHOLE;
	expect(await source.take('list')).toEqual({ items: WHOLE_LIST, verdict: WHOLE });
});

test('of many lists, those that were read last are kept, and no others', async () => {
	const source = new Source();
	const others = Array.from({ length: 50 }, (_, index) => `${index}`);
	for (const key of others) {
		await source.take(key);
		await source.take('often');
	}
	expect(source.pagesRead).toBe((others.length + 1) * PAGES);
	await source.take('0');
	expect(source.pagesRead).toBe((others.length + 2) * PAGES);
});
