import type { IDataObject } from 'n8n-workflow';
import { getList, IncompleteList } from '../../../nodes/MessagingService/fields/list';
import { Notices } from '../../../nodes/MessagingService/notices';
import type { Call } from '../../../nodes/MessagingService/resources/operation';
import { DEFAULT_TRANSPORT } from '../../../nodes/MessagingService/transport/client';
import { clientOf } from '../helpers/api';
import { shown } from '../helpers/call';
import { fake } from '../helpers/fake';
import { type Dialect, type Fault, ListService } from '../helpers/listService';
import { parametersOf } from '../helpers/parameters';
import { VirtualClock } from '../helpers/virtualClock';

const PLAIN: Dialect = {
	firstPage: 1,
	links: 'absolute',
	total: 'right',
	maxPageSize: 50,
	pageParameter: 'page',
	ignoresPage: false,
	repeatsLastPage: false,
	newItems: 0,
};
const WORDS = { items: 'messages', ignoredFilter: 'Name it.', ignoredPage: 'Call it by its name.' };

interface Read {
	items: IDataObject[];
	hints: unknown[];
	error?: unknown;
}

async function read(
	dialect: Partial<Dialect>,
	{
		faults = [],
		startPage,
		size = 120,
	}: { faults?: Fault[]; startPage?: number; size?: number } = {},
): Promise<Read> {
	const clock = new VirtualClock();
	const all = Array.from({ length: size }, (_, i) => ({ id: i + 1 }));
	const service = new ListService({ ...PLAIN, ...dialect }, all, faults);
	const notices = new Notices();
	const call = fake<Call>({
		client: await clientOf(service.answerer(clock), clock),
		parameters: parametersOf({}),
		transport: { ...DEFAULT_TRANSPORT, maxRetries: 0 },
		concurrency: 3,
		notices,
	});
	const list = {
		request: { method: 'GET', path: '/public/messages' } as const,
		limitParameter: 'limit',
		pageParameter: 'page',
		limit: Infinity,
		startPage,
	};
	try {
		const items = await clock.run(getList(call, list, WORDS));
		return { items, hints: shown(notices) };
	} catch (error) {
		const items = error instanceof IncompleteList ? error.items : [];
		return { items, hints: shown(notices), error };
	}
}

test('a whole list needs no words', async () => {
	const { items, hints, error } = await read({});
	expect(items).toHaveLength(120);
	expect(hints).toEqual([]);
	expect(error).toBeUndefined();
});

test('a list of which a page is missing is an error that holds the rest', async () => {
	const { items, error } = await read({}, { faults: [{ page: 1, times: Infinity }] });
	expect(items).toHaveLength(70);
	expect(error).toBeInstanceOf(IncompleteList);
	expect(error).toHaveProperty('failure.description', expect.stringMatching(/^Missing.*page 2\./));
});

test('a page that comes again and again is an error where the service announced more', async () => {
	const { items, error } = await read({ ignoresPage: true });
	expect(items).toHaveLength(50);
	expect(error).toHaveProperty(
		'failure.description',
		expect.stringContaining('70 of its messages'),
	);
});

test('a full page that comes again and again is a notice where nothing more was announced', async () => {
	const { items, hints } = await read({ ignoresPage: true, total: 'missing', links: 'none' });
	expect(items).toHaveLength(50);
	expect(hints).toMatchObject([{ message: expect.stringContaining('Call it by its name.') }]);
});

test('a total that was too large is a notice', async () => {
	const { items, hints } = await read({ total: 'tooLarge' });
	expect(items).toHaveLength(120);
	expect(hints).toMatchObject([
		{ message: expect.stringContaining('announced 127 more messages') },
	]);
});

test('a page that comes again is a notice too where the service has smaller pages', async () => {
	const dialect = {
		ignoresPage: true,
		total: 'missing',
		links: 'none',
		maxPageSize: 20,
	} as const;
	const { items, hints, error } = await read(dialect);
	expect(items).toHaveLength(20);
	expect(hints.length > 0 || error !== undefined).toBe(true);
});

test('a page that comes again is told also of a list with a chosen start page', async () => {
	const { items, hints, error } = await read(
		{ ignoresPage: true, maxPageSize: 20 },
		{ startPage: 1 },
	);
	expect(items).toHaveLength(20);
	expect(hints.length > 0 || error !== undefined).toBe(true);
});
