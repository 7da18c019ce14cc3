import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import { isObject } from '../../api/json';
import type { ListSource } from '../../api/list';
import { fetchPage } from '../../api/page';
import { PAGE_SIZE } from '../../api/pages';
import { RequestFailure } from '../../api/requestFailure';
import { digitsOf } from '../phone';
import { toLabel } from './text';

/**
 * Asks the service for the inboxes with a phone number. How it compares numbers is not shown.
 *
 * @returns undefined when it finds none, ignores the filter, or refuses a number that is not a whole one yet.
 */
export async function findByPhone(
	client: Client,
	{ request, limitParameter }: ListSource,
	filter: string,
): Promise<IDataObject[] | undefined> {
	const query = [
		['phone', filter.replace(/[^\d+]/g, '')],
		[limitParameter, String(PAGE_SIZE)],
	] as const;
	const page = await fetchPage(client, { ...request, query }).catch((failure: unknown) => {
		if (isRefusal(failure)) return undefined;
		throw failure;
	});
	const inboxes = page?.entries.filter(isObject) ?? [];
	const isFiltered = inboxes.every(({ phone }) => hasPhone(phone, filter));
	return inboxes.length > 0 && isFiltered ? inboxes : undefined;
}

function isRefusal(failure: unknown): boolean {
	return failure instanceof RequestFailure && (failure.status === 400 || failure.status === 422);
}

/** Whether a phone number has the digits that are searched for. */
export function hasPhone(phone: unknown, filter: string): boolean {
	return isPhone(filter) && digitsOf(toLabel(phone)).includes(digitsOf(filter));
}

/** Whether somebody looks for a phone number. */
export function isPhone(text: string): boolean {
	return /^[\d\s().+-]+$/.test(text) && digitsOf(text).length >= 3;
}
