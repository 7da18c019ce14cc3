import type { Doubt, IncompleteList } from '../api/incompleteList';
import type { ListEndpoint } from '../api/listEndpoints';
import type { Explanation } from '../api/request';

/** What to do when the service may have ignored the page number. */
const ASK_FOR_PAGES =
	'Ask your service how the pages of this list are numbered. For messages and templates, "Page Parameter" under "Override API Names" in the credential can be set.';

/** Says why entries may be missing from a list, and what to do. */
export function describeDoubt(doubt: Doubt, { entries }: ListEndpoint): string {
	switch (doubt.kind) {
		case 'unconfirmedEnd':
			return `The service did not give another page of ${entries}, and nothing tells whether there is one. If you expect more: ${ASK_FOR_PAGES}`;
		case 'short':
			return `The service reported ${doubt.missing} more ${entries} than it returned. Run the node again, or ask your service.`;
		case 'moved':
			return `The list of ${entries} changed while it was read, so some may be missing. Try again at a quieter time, or read less of it with filters.`;
	}
}

/**
 * Explains why a list is not complete.
 *
 * @param cause the words of the failure that ended the reading, where one did
 */
export function explainIncomplete(list: IncompleteList, cause?: Explanation): Explanation {
	const { entries } = list.endpoint;
	const { failed, missing } = list.lack;
	if (failed) {
		const { message, description } = cause ?? { message: list.message, description: '' };
		const lost = `Missing from the list: all after the first ${failed.after} ${entries}.`;
		return { message, description: `${lost} ${description}` };
	}
	return {
		message: `The list of ${entries} is not complete`,
		description: `The service returned the same page again and again, so ${missing} of its ${entries} are missing. ${ASK_FOR_PAGES}`,
	};
}
