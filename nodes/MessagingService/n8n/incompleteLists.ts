import type { ListEndpoint } from '../api/listEndpoints';
import type { Doubt, IncompleteList } from '../api/incompleteList';
import type { Explanation } from '../api/request';

/** Says why entries may be missing from a list, and what to do. */
export function describeDoubt(doubt: Doubt, endpoint: ListEndpoint): string {
	const { entries } = endpoint;
	switch (doubt.kind) {
		case 'repeats':
			return `The service returned the same page of ${entries} twice. If you expect more: ${adviceOnPages(endpoint)}`;
		case 'unconfirmedEnd':
			return `The next page of ${entries} failed, and nothing tells whether there is one. Run the node again. If you expect more: ${adviceOnPages(endpoint)}`;
		case 'short':
			return `The service reported ${doubt.missing} more ${entries} than it returned.`;
		case 'moved':
			return `The list of ${entries} changed each time while it was read, so some may be missing. Run the node again at a quieter time. For messages, the filter "Before" with a moment that is two days past, such as {{ $now.minus({ days: 2 }) }}, leaves out what still changes.`;
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
		const lost =
			pages === undefined
				? `The list of ${entries} changed while it was read, so some may be missing, and reading it again failed. `
				: `Missing from the list: ${pages}. `;
		return { message, description: lost + description };
	}
	const message = `The list of ${entries} is not complete`;
	if (missing !== undefined) {
		const description = `The service returned the same page again and again, so ${missing} of its ${entries} are missing. ${adviceOnPages(endpoint)}`;
		return { message, description };
	}
	const description = `The list goes on and on, so reading it was given up. Narrow down which ${entries} are read.`;
	return { message, description };
}

/** What to do when the service ignored the page number. */
function adviceOnPages({ entries, pageParameter, hasCustomNames }: ListEndpoint): string {
	return hasCustomNames
		? `The service may not know the parameter "${pageParameter}": in the credential, turn on "Override API Names" and set "Page Parameter".`
		: `Ask your service how the pages of its list of ${entries} are numbered.`;
}
