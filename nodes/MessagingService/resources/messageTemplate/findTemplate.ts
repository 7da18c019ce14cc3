import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import { readList } from '../../api/list';
import { templatesOf } from '../../api/lists';
import { PAGE_SIZE } from '../../api/pages';
import { assertWhole, pageNameAdvice } from '../list';

/** A template, and its text on its own. */
export interface Template {
	template: IDataObject;
	body: string;
}

/**
 * Finds a template by its ID. The interface has no way to get a single one, so the list is read until it
 * comes.
 *
 * @returns undefined when there is none with this ID.
 * @throws {IncompleteList} when it is not among what came of a list that is not complete.
 */
export async function findTemplate(client: Client, id: string): Promise<Template | undefined> {
	const source = templatesOf(client.account);
	const result = await readList(client, {
		...source,
		pageSize: PAGE_SIZE,
		limit: 1,
		keep: (template) => String(template.id) === id,
		// One page after the other, so that nothing is read beyond the one with the template.
		concurrency: 1,
	});
	const [template] = result.items;
	if (template) return { template, body: typeof template.body === 'string' ? template.body : '' };
	const ignoredPage = pageNameAdvice(source.pageParameter);
	assertWhole(result, { items: 'message templates', ignoredPage });
	return undefined;
}
