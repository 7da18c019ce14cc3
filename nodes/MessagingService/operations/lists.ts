import { deepCopy, type IDataObject } from 'n8n-workflow';
import type { ListKind } from '../api/listEndpoints';
import { type Verdict, WHOLE } from '../api/listProgress';
import { describeWarning, failedList } from '../words/lists';
import type { Notices } from './notices';

/** A list as it is read, page by page, and how that has ended. */
export type Pages<Page> = AsyncGenerator<Page, Verdict>;

/** What was taken of a list. */
export interface Taken<Item> {
	items: Item[];
	/** Whole, too, if there was enough before the end. */
	verdict: Verdict;
}

/**
 * Takes what is wanted of a list until there is enough.
 *
 * @param select gives what is wanted of a page
 */
export async function take<Page, Item>(
	pages: Pages<Page>,
	limit: number,
	select: (page: Page) => readonly Item[],
): Promise<Taken<Item>> {
	const items: Item[] = [];
	for (;;) {
		const { done, value } = await pages.next();
		if (done) return { items, verdict: value };
		// One by one, since a page may have more than a call can have arguments.
		for (const item of select(value)) items.push(item);
		if (items.length >= limit) {
			await pages.return(WHOLE);
			return { items: items.slice(0, limit), verdict: WHOLE };
		}
	}
}

/**
 * What was taken of a list, for the output: copies, since another item may get the same. A notice says why something may
 * be missing.
 *
 * @throws {RequestFailure | Problem} when the list could not be read to its end, with what was taken.
 */
export function conclude<Item extends IDataObject>(
	notices: Notices,
	kind: ListKind,
	{ items, verdict }: Taken<Item>,
): Item[] {
	const output = items.map((item) => deepCopy(item));
	if (verdict.kind === 'error') throw failedList(verdict, kind, output);
	if (verdict.kind === 'warning') notices.add(describeWarning(verdict, kind), 'warning');
	return output;
}
