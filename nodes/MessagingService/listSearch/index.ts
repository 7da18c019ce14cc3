import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { type Client, createClient, DEFAULT_TRANSPORT } from '../transport/client';
import { DEFAULT_CONCURRENCY } from '../fields/options';
import { fetchPage } from '../transport/page';
import { type ListRequest, PAGE_SIZE, readList } from '../transport/paginate';

type Source = Pick<ListRequest, 'limitParameter' | 'pageParameter'> & { path: string };

// Someone is waiting in front of the list, so it gives up sooner than a workflow does.
const TRANSPORT = { ...DEFAULT_TRANSPORT, timeout: 15_000, maxRetries: 1 };

/** Lists the account's inboxes; a filter finds them by name and by phone number. */
export async function searchInboxes(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const client = await createClient(this);
	return await search(
		client,
		{ path: '/public/admin/inboxes', limitParameter: 'limit', pageParameter: 'page' },
		({ id, name, phone }) => ({
			name: [name, phone].filter(Boolean).join(' · ') || String(id),
			value: String(id),
		}),
		filter,
		paginationToken,
	);
}

/** Lists the team's message templates; a filter finds them by name. */
export async function searchTemplates(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const client = await createClient(this);
	const { limitParameter, pageParameter } = client.account.names;
	return await search(
		client,
		{ path: '/public/message-templates', limitParameter, pageParameter },
		({ id, name, body }) => ({
			name: String(name || id),
			value: String(id),
			description: typeof body === 'string' ? body : undefined,
		}),
		filter,
		paginationToken,
	);
}

/** One page more with each call while the user scrolls; all pages when a filter has to find something. */
async function search(
	client: Client,
	{ path, limitParameter, pageParameter }: Source,
	toEntry: (item: IDataObject) => INodeListSearchItems,
	filter = '',
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const request = { method: 'GET', path } as const;
	if (filter.trim() === '') {
		const query = [[limitParameter, String(PAGE_SIZE)] as const];
		const number =
			typeof paginationToken === 'string' ? [[pageParameter, paginationToken] as const] : [];
		const page = await fetchPage(client, { ...request, query: [...query, ...number] }, TRANSPORT);
		const next = page.next?.searchParams.get(pageParameter) ?? undefined;
		if (next !== undefined || page.hasLinks) {
			return { results: page.items.map(toEntry), paginationToken: next };
		}
	}
	const { items } = await readList(
		client,
		{ request, limitParameter, pageParameter, limit: Infinity, concurrency: DEFAULT_CONCURRENCY },
		TRANSPORT,
	);
	return { results: items.map(toEntry).filter((entry) => isFound(entry, filter)) };
}

function isFound({ name }: INodeListSearchItems, filter: string): boolean {
	const simple = (text: string) => text.toLowerCase().normalize('NFKD').replace(/\s+/g, ' ').trim();
	const digits = (text: string) => text.replace(/\D/g, '');
	const wanted = digits(filter);
	const isPhone = wanted.length >= 3 && /^[\d\s().+-]+$/.test(filter.trim());
	return simple(name).includes(simple(filter)) || (isPhone && digits(name).includes(wanted));
}
