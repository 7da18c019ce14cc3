import type { IDataObject } from 'n8n-workflow';
import type { ListNoun } from '../api/listEndpoints';
import type { Verdict } from '../api/listProgress';
import type { Explanation, RequestFailure } from '../api/request';
import { explain, saidIn } from './explanation';
import { Problem } from './problem';

/** A list that may lack something, and one that could not be read to its end. */
export type Warning = Extract<Verdict, { kind: 'warning' }>;
export type Failed = Extract<Verdict, { kind: 'error' }>;

/** What to do when the service may have ignored the page number. */
const ASK_FOR_PAGES =
	'Ask your service how the pages of this list are numbered. For messages and templates, turn on "Override Names" in the credential and set "Page Parameter".';

/** Said of links that lead from page to page, none of which has entries. */
const ENDLESS: Explanation = {
	message: 'The service links from one empty page to the next, without an end',
	description: 'Ask your service how the pages of this list are linked.',
};

/** Says why entries may be missing from a list, what the service says of it, and what to do. */
export function describeWarning(warning: Warning, noun: ListNoun): string {
	const said = warning.failure ? saidIn(warning.failure) : '';
	return `${reasonOf(warning, noun)} ${said}`.trim();
}

function reasonOf({ reason, read, total }: Warning, noun: ListNoun): string {
	const reported = `The service reported ${total} ${noun}`;
	const wayToRest =
		noun === 'messages'
			? 'To get the others, use the filters "After" and "Before".'
			: 'Ask your service how to get the others.';
	switch (reason) {
		case 'nothing':
			return `The service gave nothing in place of its list of ${noun}. If you expect some, check the base URL in the credential, or ask your service.`;
		case 'short':
			return `${reported} and gave ${read}. Run the node again, or ask your service.`;
		case 'window':
			return total === undefined
				? `The service gives no more than ${read} ${noun}, so there may be others. ${wayToRest}`
				: `${reported} and gives only the first ${read}. ${wayToRest}`;
		case 'repeated':
			return `${reported} and gave ${read}, then the same page again and again. ${ASK_FOR_PAGES}`;
		case 'unconfirmed':
			return `The service did not give another page of ${noun}, and nothing tells whether there is one. If you expect more: ${ASK_FOR_PAGES}`;
		case 'moved':
			return `The list of ${noun} changed while it was read, so some may be missing. Try again later, or read less with filters.`;
	}
}

/**
 * Makes the failure of a list that could not be read to its end.
 *
 * @param items what was read of it
 */
export function failedList(
	{ failure, read }: Failed,
	noun: ListNoun,
	items: readonly IDataObject[] = [],
): RequestFailure | Problem {
	if (failure && read === 0) return failure;
	const { message, description } = failure ? explain(failure) : ENDLESS;
	const lost = `Missing from the list: all after the first ${read} ${noun}.`;
	return new Problem(message, `${lost} ${description}`, { cause: failure, items });
}
