import type { IDataObject } from 'n8n-workflow';
import type { Client, TransportOptions } from '../../transport/client';
import { PAGE_SIZE, readList } from '../../transport/paginate';

/** How a template is looked for. */
interface Search {
	transport: TransportOptions;
	/** Pages fetched at a time. */
	concurrency: number;
}

const found = new WeakMap<Client, Map<string, Promise<IDataObject | undefined>>>();

/**
 * Finds a template by its ID. The interface has no way to get a single one, so the list is read until it
 * comes; once per run of the node, however many items use it.
 *
 * @returns The template, and its text on its own; undefined when there is none with this ID.
 */
export async function findTemplate(
	client: Client,
	id: string,
	search: Search,
): Promise<{ template: IDataObject; body: string } | undefined> {
	const known = found.get(client) ?? new Map<string, Promise<IDataObject | undefined>>();
	found.set(client, known);
	const looking = known.get(id) ?? readUntil(client, id, search);
	known.set(id, looking);
	const template = await looking;
	return template && { template, body: typeof template.body === 'string' ? template.body : '' };
}

async function readUntil(
	client: Client,
	id: string,
	{ transport, concurrency }: Search,
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
