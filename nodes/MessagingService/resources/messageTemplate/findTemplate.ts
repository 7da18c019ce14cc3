import type { IDataObject } from 'n8n-workflow';
import type { Client, TransportOptions } from '../../transport/client';
import { PAGE_SIZE, readList } from '../../transport/paginate';

const found = new WeakMap<Client, Map<string, Promise<IDataObject | undefined>>>();

/**
 * Finds a template by its ID. The interface has no way to get a single one, so the list is read until it
 * comes; once per run of the node, however many items use it.
 */
export async function findTemplate(
	client: Client,
	transport: TransportOptions,
	concurrency: number,
	id: string,
): Promise<IDataObject | undefined> {
	const known = found.get(client) ?? new Map<string, Promise<IDataObject | undefined>>();
	found.set(client, known);
	const search = known.get(id) ?? searchTemplate(client, transport, concurrency, id);
	known.set(id, search);
	return await search;
}

async function searchTemplate(
	client: Client,
	transport: TransportOptions,
	concurrency: number,
	id: string,
): Promise<IDataObject | undefined> {
	const { limitParameter, pageParameter } = client.account.names;
	const { items, failure } = await readList(
		client,
		{
			request: { method: 'GET', path: '/public/message-templates' },
			limitParameter,
			pageParameter,
			pageSize: PAGE_SIZE,
			limit: 1,
			keep: (template) => String(template.id) === id,
			concurrency,
		},
		transport,
	);
	if (failure && items.length === 0) throw client.missingPages(failure.cause, failure.pages);
	return items[0];
}
