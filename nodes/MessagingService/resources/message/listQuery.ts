import type { Account } from '../../api/account';
import type { ListQuery } from '../../api/list';
import { listOf } from '../../api/lists';
import { PAGE_SIZE } from '../../api/pages';
import { type MessageFilters, matches, toQuery, upToNewest, widen } from './filters';

/** How much of the list is wanted; see `readWanted`. */
type Wanted = Pick<ListQuery, 'limit' | 'startPage'>;

/**
 * How the messages that pass some filters are read. The service is asked for a day more on either side, unless its
 * pages are counted from a start page; which messages come out is decided here.
 */
export function messageQuery(
	account: Account,
	filters: MessageFilters,
	wanted: Wanted,
): Omit<ListQuery, 'concurrency'> {
	const { names } = account;
	const isCounted = wanted.startPage !== undefined;
	const { request, ...source } = listOf('/public/messages', account);
	return {
		...wanted,
		...source,
		request: { ...request, query: toQuery(isCounted ? filters : widen(filters, 1), names) },
		// The newest ones may be the day more that is taken out again.
		pageSize: filters.before && !isCounted ? PAGE_SIZE : undefined,
		pin: filters.before ? undefined : (first) => upToNewest(first, names),
		keep: (message) => matches(message, filters),
		// One day was asked for, and the service may read dates as whole days.
		isForeign: (message) => !matches(message, widen(filters, 2)),
	};
}
