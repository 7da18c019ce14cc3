import type { Account } from '../api/account';
import { type Doubt, IncompleteList } from '../api/listProgress';
import { PAGE_SIZE } from '../api/page';
import { Problem } from '../n8n/problem';
import type { Run } from './operation';

/** Words about a list for the user. */
export interface ListWords {
	/** What the items are called, in the plural. */
	items: string;
	/** What to do when the service ignored the page number. */
	ignoredPage: string;
	/** What to do when the list keeps moving. */
	moving?: string;
}

/** The words about a list whose parameters have the custom names of the credential. */
export function listWords(items: string, { names }: Account): ListWords {
	const ignoredPage = `The service may not know the parameter "${names.pageParameter}": in the credential, turn on "Override API Names" and set "Page Parameter".`;
	return { items, ignoredPage };
}

/** Notes why entries may be missing from a list, and what to do. */
export function noteDoubt(
	doubt: Doubt,
	{ items, ignoredPage, moving }: ListWords,
	notices: Run['notices'],
): void {
	switch (doubt.kind) {
		case 'repeats':
			// A service without pages gives the same list for each page number, so a short list is probably complete.
			return notices.add(
				`The service returned the same page of ${items} twice. If you expect more: ${ignoredPage}`,
				doubt.read < PAGE_SIZE ? 'info' : 'warning',
			);
		case 'short':
			return notices.add(
				doubt.missing === undefined
					? `The next page of ${items} failed, and nothing tells whether there is more. Run the node again.`
					: `The service reported ${doubt.missing} more ${items} than it returned, although all of its pages were read.`,
			);
		case 'moved':
			return notices.add(
				`The list of ${items} changed each time while it was read, so some may be missing. ${moving ?? 'Run the node again at a quieter time.'}`,
			);
	}
}

/** Gives an incomplete list a cause in words, where the service left entries out by itself; any other error as it is. */
export function withCause(error: unknown, words: ListWords): unknown {
	if (!(error instanceof IncompleteList) || error.cause !== undefined) return error;
	const { items, missing } = error;
	const message = `The list of ${words.items} is not complete`;
	return new IncompleteList({ items, missing, cause: new Problem(message, lackOf(error, words)) });
}

function lackOf({ missing, pages }: IncompleteList, { items, ignoredPage }: ListWords): string {
	if (missing !== undefined) {
		return `The service returned the same page again and again, so ${missing} of its ${items} are missing. ${ignoredPage}`;
	}
	if (pages !== undefined) {
		return `The service returned no ${items} on page ${pages}, although the list goes on after it. Run the node again, or contact the service's support.`;
	}
	return `The list goes on and on, so reading it was given up. Narrow down which ${items} are read.`;
}
