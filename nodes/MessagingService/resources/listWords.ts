import type { Account } from '../api/account';
import type { ListProblem } from '../api/list';

/** Words about a list for the user. */
export interface ListWords {
	/** What the items are called, in the plural. */
	items: string;
	/** What to do when the service ignored the page number. */
	ignoredPage: string;
	/** What to do when the service ignored a filter. */
	ignoredFilter?: string;
	/** What to do when the list keeps moving. */
	moving?: string;
}

/** The words about a list whose parameters have the custom names of the credential. */
export function listWords(items: string, { names }: Account): ListWords {
	const ignoredPage = `The service may not know the parameter "${names.pageParameter}": in the credential, turn on "Override API Names" and set "Page Parameter".`;
	return { items, ignoredPage };
}

/** Says what is wrong with a list, and what to do. */
export function explainProblem(
	problem: ListProblem,
	{ items, ignoredPage, moving }: ListWords,
): string {
	switch (problem.kind) {
		case 'tooLong':
			return `The list goes on and on, so reading it was given up. Narrow down which ${items} are read.`;
		case 'repeats':
			return `The service returned the same page again and again, so ${problem.missing} of its ${items} are missing. ${ignoredPage}`;
		case 'mayRepeat':
			return `The service returned the same page of ${items} twice. If you expect more: ${ignoredPage}`;
		case 'short':
			return `The service reported ${problem.missing} more ${items} than it returned, although all of its pages were read.`;
		case 'refused':
			return `The next page of ${items} failed, and nothing tells whether there is more. Run the node again.`;
		case 'emptyPages':
			return `The service returned no ${items} on page ${problem.numbers.join(', ')}, although the list goes on after it. Run the node again, or contact the service's support.`;
		case 'moved':
			return `The list of ${items} changed each time while it was read, so some may be missing. ${moving ?? 'Run the node again at a quieter time.'}`;
	}
}
