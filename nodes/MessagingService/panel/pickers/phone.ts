import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import { isObject } from '../../api/json';
import type { ListSource } from '../../api/list';
import { fetchPage } from '../../api/page';
import { PAGE_SIZE } from '../../api/pages';
import { RequestFailure } from '../../api/requestFailure';
import { digitsOf } from '../phone';
import type { Search } from './search';
import { toLabel } from './text';

/**
 * Asks the service for the inboxes with a phone number, if one is searched for. How it compares numbers
 * is not shown: it may know only whole ones, or ignore the filter. Then there is a search left to do.
 */
export async function findByPhone(
	client: Client,
	{ request, limitParameter }: ListSource,
	search: Search,
): Promise<{ inboxes?: IDataObject[]; search: Search }> {
	if (!isPhone(search.filter) || search.searched !== undefined) return { search };
	const query = [
		['phone', search.filter.replace(/[^\d+]/g, '')],
		[limitParameter, String(PAGE_SIZE)],
	] as const;
	const left = { ...search, requests: search.requests - 1 };
	try {
		const { entries } = await fetchPage(client, { ...request, query });
		const items = entries.filter(isObject);
		const isFiltered = items.every(({ phone }) => hasPhone(phone, search.filter));
		return { inboxes: items.length > 0 && isFiltered ? items : undefined, search: left };
	} catch (error) {
		return { search: unlessFailed(error, left) };
	}
}

/** A service may refuse the search because the number is not a whole one yet. */
function unlessFailed(failure: unknown, search: Search): Search {
	const isRefused =
		failure instanceof RequestFailure && (failure.status === 400 || failure.status === 422);
	if (isRefused) return search;
	throw failure;
}

/** Whether a phone number has the digits that are searched for. */
export function hasPhone(phone: unknown, filter: string): boolean {
	return isPhone(filter) && digitsOf(toLabel(phone)).includes(digitsOf(filter));
}

function isPhone(text: string): boolean {
	return /^[\d\s().+-]+$/.test(text) && digitsOf(text).length >= 3;
}
