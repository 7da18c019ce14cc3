import { seeded, startService, type Service } from '../../sandbox/service/service.ts';
import { send, toPage } from './client.ts';

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterAll(() => service.close());

const messagesOf = () => service.teams()[0]?.messages ?? [];

test('messages come newest first, each exactly once over all pages', async () => {
	const ids: unknown[] = [];
	let url = '/public/messages?limit=50';
	while (url !== '') {
		const { data, links } = toPage(await send(service, url));
		ids.push(...data.map(({ id }) => id));
		url = links?.next ?? '';
	}
	expect(ids).toEqual(
		messagesOf()
			.map(({ message }) => message.id)
			.reverse(),
	);
	expect(ids).toHaveLength(3000);
});

test('messages are filtered by several inboxes and by dates', async () => {
	const all = messagesOf();
	const after = all[500]?.message.timestamp ?? '';
	const before = all[1500]?.message.timestamp ?? '';
	const inboxIds = seeded.demo.inboxIds.slice(0, 3);
	const search = new URLSearchParams({ limit: '50', startDate: after, endDate: before });
	for (const id of inboxIds) search.append('inboxIds', id);

	const expected = all
		.slice(501, 1501)
		.filter(({ message }) => inboxIds.includes(message.inboxId ?? ''))
		.map(({ message }) => message);
	expect(expected.length).toBeGreaterThan(50);
	const page = toPage(await send(service, `/public/messages?${search}`));
	expect(page.total).toBe(expected.length);
	expect(page.data).toEqual(expected.reverse().slice(0, 50));

	search.delete('inboxIds');
	expect(toPage(await send(service, `/public/messages?${search}`)).total).toBe(1000);
});

test.each([
	['/public/messages?limit=51', 400],
	['/public/messages?limit=0', 400],
	['/public/messages?limit=ten', 400],
	['/public/messages?startDate=yesterday', 400],
	['/public/messages?inboxIds=12', 400],
	['/public/admin/inboxes?limit=51', 400],
	['/public/admin/inboxes?unknown=1', 200],
	['/public/messages?inboxIds[]=12&from=yesterday', 200],
])('%s answers %i', async (path, status) => {
	expect((await send(service, path)).status).toBe(status);
});

test.each(['/public/messages', '/public/message-templates', '/public/admin/inboxes'])(
	'%s is empty beyond the end, and in a new team',
	async (path) => {
		const beyond = toPage(await send(service, `${path}?page=1000`));
		expect(beyond.data).toEqual([]);
		expect(beyond.total).toBeGreaterThan(0);
		const empty = toPage(await send(service, path, { apiKey: seeded.empty.apiKey }));
		expect(empty).toMatchObject({ data: [], total: 0, links: { next: '', prev: '' } });
	},
);

test('inboxes are filtered by phone number', async () => {
	const found = toPage(
		await send(service, `/public/admin/inboxes?phone=${encodeURIComponent('+15555550107')}`),
	);
	expect(found).toMatchObject({ total: 1, data: [{ id: seeded.demo.inboxIds[7] }] });
});

test('teams do not see each other', async () => {
	const { apiKey } = seeded.second;
	const page = toPage(await send(service, '/public/messages?limit=50', { apiKey }));
	expect(page.total).toBe(200);
	const foreign = await send(service, `/public/messages?inboxIds=${seeded.demo.inboxIds[0]}`, {
		apiKey,
	});
	expect(toPage(foreign).total).toBe(0);
});
