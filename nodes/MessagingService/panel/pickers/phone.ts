import { type IDataObject, NodeApiError } from 'n8n-workflow';
import type { Client } from '../transport/client';
import { fetchPage } from '../transport/page';
import { PAGE_SIZE } from '../transport/paginate';
import { type Source, TRANSPORT } from './directory';
import type { Search } from './search';
import { toLabel } from './text';

/**
 * Asks the service for the inboxes with a phone number, if one is searched for. How it compares numbers
 * is not shown: it may know only whole ones, or ignore the filter. Then there is a search left to do.
 */
export async function findByPhone(
	client: Client,
	{ path, limitParameter }: Source,
	search: Search,
): Promise<{ inboxes?: IDataObject[]; search: Search }> {
	if (!isPhone(search.filter) || search.searched !== undefined) return { search };
	const query = [
		['phone', search.filter.replace(/[^\d+]/g, '')],
		[limitParameter, String(PAGE_SIZE)],
	] as const;
	const left = { ...search, requests: search.requests - 1 };
	const [asked] = await Promise.allSettled([
		fetchPage(client, { method: 'GET', path, query }, TRANSPORT),
	]);
	if (asked.status === 'rejected') {
		if (isRefusal(asked.reason)) return { search: left };
		throw asked.reason;
	}
	const { items } = asked.value;
	const isFiltered = items.every(({ phone }) => hasPhone(phone, search.filter));
	return { inboxes: items.length > 0 && isFiltered ? items : undefined, search: left };
}

/** Whether a phone number has the digits that are searched for. */
export function hasPhone(phone: unknown, filter: string): boolean {
	return isPhone(filter) && digits(toLabel(phone)).includes(digits(filter));
}

function isPhone(text: string): boolean {
	return /^[\d\s().+-]+$/.test(text) && digits(text).length >= 3;
}

function digits(text: string): string {
	return text.replace(/\D/g, '');
}

// Say, because the number is not a whole one yet.
function isRefusal(error: unknown): boolean {
	return error instanceof NodeApiError && ['400', '422'].includes(error.httpCode ?? '');
}
