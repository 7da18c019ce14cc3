import type { ListEndpoint } from '../api/listEndpoints';
import type { Doubt, IncompleteList } from '../api/incompleteList';
import { PAGE_SIZE } from '../api/page';
import type { Explanation } from '../api/request';

/** What the user should know of a list: a `warning` if the output may lack something. */
export interface ListNotice {
	words: string;
	type: 'info' | 'warning';
}

/** Says why entries may be missing from a list, and what to do. */
export function describeDoubt(doubt: Doubt, endpoint: ListEndpoint): ListNotice {
	const { entries } = endpoint;
	switch (doubt.kind) {
		case 'repeats':
			return {
				words: `The service returned the same page of ${entries} twice. If you expect more: ${adviceOnPages(endpoint)}`,
				// A service without pages gives the same list for each page number, so a short list is probably complete.
				type: doubt.read < PAGE_SIZE ? 'info' : 'warning',
			};
		case 'short':
			return {
				words:
					doubt.missing === undefined
						? `The next page of ${entries} failed, and nothing tells whether there is more. Run the node again.`
						: `The service reported ${doubt.missing} more ${entries} than it returned.`,
				type: 'warning',
			};
		case 'moved':
			return {
				words: `The list of ${entries} changed each time while it was read, so some may be missing. Run the node again at a quieter time. For messages, the filter "Before" with a moment that is two days past, such as {{ $now.minus({ days: 2 }) }}, leaves out what still changes.`,
				type: 'warning',
			};
	}
}

/**
 * Explains why a list is not complete.
 *
 * @param cause the words of the failure that ended the reading, where one did
 */
export function explainIncomplete(list: IncompleteList, cause?: Explanation): Explanation {
	const { endpoint, missing, pages } = list;
	const { entries } = endpoint;
	if (list.cause !== undefined) {
		const { message, description } = cause ?? { message: list.message, description: '' };
		const lost = pages === undefined ? '' : `Missing from the list: ${pages}. `;
		return { message, description: lost + description };
	}
	const message = `The list of ${entries} is not complete`;
	if (missing !== undefined) {
		const description = `The service returned the same page again and again, so ${missing} of its ${entries} are missing. ${adviceOnPages(endpoint)}`;
		return { message, description };
	}
	const description =
		pages === undefined
			? `The list goes on and on, so reading it was given up. Narrow down which ${entries} are read.`
			: `The service returned no ${entries} on ${pages}, although the list goes on after it. Run the node again, or contact the service's support.`;
	return { message, description };
}

/** What to do when the service ignored the page number. */
function adviceOnPages({ entries, pageParameter, hasCustomNames }: ListEndpoint): string {
	return hasCustomNames
		? `The service may not know the parameter "${pageParameter}": in the credential, turn on "Override API Names" and set "Page Parameter".`
		: `Ask your service how the pages of its list of ${entries} are numbered.`;
}
