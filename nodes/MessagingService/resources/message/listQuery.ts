import type { Account } from '../../api/account';
import type { ListQuery } from '../../api/list';
import { messagesOf } from '../../api/lists';
import { PAGE_SIZE } from '../../api/pages';
import { type MessageFilters, matches, toQuery, upToNewest, widen } from './filters';

/** What of the messages that pass the filters is wanted; see `readWanted`. */
export type WantedMessages = Pick<ListQuery, 'limit' | 'startPage' | 'keep'>;

/**
 * How the messages that pass some filters are read. The service is asked for a day more on either side, unless its
 * pages are counted from a start page; which messages come out is decided here.
 */
export function messageQuery(
	account: Account,
	filters: MessageFilters,
	{ limit, startPage, keep }: WantedMessages,
): Omit<ListQuery, 'concurrency'> {
	const { names } = account;
	const isCounted = startPage !== undefined;
	// Of what is read, little may be kept: the newest messages may be of the day more.
	const mayKeepFew = keep !== undefined || (filters.before !== undefined && !isCounted);
	const { request, ...source } = messagesOf(account);
	return {
		limit,
		startPage,
		...source,
		request: { ...request, query: toQuery(isCounted ? filters : toAsk(filters), names) },
		pageSize: mayKeepFew ? PAGE_SIZE : undefined,
		pin: filters.before ? undefined : (first) => upToNewest(first, names),
		keep: (message) => matches(message, filters) && (keep?.(message) ?? true),
		// One day was asked for, and the service may read dates as whole days.
		isForeign: (message) => !matches(message, widen(filters, 2)),
	};
}

/** A day more on either side. A service may refuse a date to come, and gives everything up to now without one. */
function toAsk(filters: MessageFilters): MessageFilters {
	const widened = widen(filters, 1);
	const now = new Date();
	const isPast = filters.before !== undefined && filters.before <= now;
	const isToCome = widened.before !== undefined && widened.before > now;
	return isPast && isToCome ? { ...widened, before: undefined } : widened;
}
