import { seeded } from '../../sandbox/service/service.ts';
import { send, toPage, withService } from './client.ts';

const messages = '/public/messages';

test('the connector segment can be renamed, also while running', () =>
	withService({ dialect: { customNames: { connectorSegment: 'acme' } } }, async (service) => {
		const create = (segment: string) =>
			send(service, `/public/${segment}-connector/inbox/websocket`, { body: { name: 'Chat' } });
		expect((await create('acme')).status).toBe(201);
		expect((await create('telephony')).status).toBe(404);
		await service.configure({ dialect: { customNames: { connectorSegment: 'voice' } } });
		expect((await create('voice')).status).toBe(201);
	}));

test.each([
	['repeat', (name: string, ids: string[]) => ids.map((id) => `${name}=${id}`).join('&')],
	['brackets', (name: string, ids: string[]) => ids.map((id) => `${name}[]=${id}`).join('&')],
	['comma', (name: string, ids: string[]) => `${name}=${ids.join(',')}`],
] as const)('inbox IDs in the format %s', (inboxIdsFormat, format) =>
	withService(
		{ dialect: { customNames: { inboxIdsParameter: 'boxes', inboxIdsFormat } } },
		async (service) => {
			const total = async (query: string) =>
				toPage(await send(service, `${messages}?${query}`)).total;
			const [first = '', second = ''] = seeded.demo.inboxIds;
			const one = (await total(format('boxes', [first]))) ?? 0;
			const other = (await total(format('boxes', [second]))) ?? 0;
			expect(one).toBeGreaterThan(0);
			expect(one).toBeLessThan(120);
			expect(await total(format('boxes', [first, second]))).toBe(one + other);
			// The name of the contract means nothing here.
			expect(await total(format('inboxIds', [first]))).toBe(120);
		},
	),
);

test.each([
	['iso', (at: number) => new Date(at).toISOString()],
	['unixSeconds', (at: number) => String(at / 1000)],
	['unixMilliseconds', (at: number) => String(at)],
] as const)('dates in the format %s', (dateFormat, format) =>
	withService(
		{ dialect: { customNames: { afterParameter: 'since', beforeParameter: 'until', dateFormat } } },
		async (service) => {
			const all = service.teams()[0]?.messages ?? [];
			const since = format(all[19]?.at ?? 0);
			const until = format(all[29]?.at ?? 0);
			const page = await send(service, `${messages}?since=${since}&until=${until}`);
			expect(toPage(page).total).toBe(10);
			if (dateFormat !== 'iso') {
				const iso = new Date().toISOString();
				expect((await send(service, `${messages}?since=${iso}`)).status).toBe(400);
			}
		},
	),
);

test('limit and page can be renamed, but not for inboxes, where they are documented', () =>
	withService(
		{ dialect: { customNames: { limitParameter: 'size', pageParameter: 'p' } } },
		async (service) => {
			const page = toPage(await send(service, `${messages}?size=7&p=2&limit=3`));
			expect(page.data).toHaveLength(7);
			expect(page.links?.next).toContain('p=3');
			const inboxes = toPage(await send(service, '/public/admin/inboxes?limit=7&page=2'));
			expect(inboxes.data).toHaveLength(7);
			expect(inboxes.links?.next).toContain('page=3');
		},
	));

test('links are absolute, relative, foreign or missing', () =>
	withService({}, async (service) => {
		const next = async () => toPage(await send(service, `${messages}?limit=5`)).links?.next;
		expect(await next()).toBe(`${service.url}/public/messages?limit=5&page=2`);
		await service.configure({ dialect: { links: 'relative' } });
		expect(await next()).toBe('/public/messages?limit=5&page=2');
		await service.configure({ dialect: { links: 'foreign' } });
		expect(new URL((await next()) ?? '').host).not.toBe(new URL(service.url).host);
		await service.configure({ dialect: { links: 'none' } });
		expect(await next()).toBeUndefined();
		await service.configure({ dialect: { links: 'absolute', endLinks: 'omitted' } });
		const { links } = toPage(await send(service, `${messages}?limit=50&page=3`));
		expect(Object.keys(links ?? {})).toEqual(['prev', 'self']);
	}));

test('pages can be counted from 0', () =>
	withService({ dialect: { firstPage: 0 } }, async (service) => {
		const page = async (query: string) => toPage(await send(service, `${messages}?${query}`)).data;
		expect(await page('page=0')).toEqual(await page(''));
		expect(await page('page=1')).not.toEqual(await page(''));
		expect(await page('limit=50&page=2')).toHaveLength(20);
	}));

test.each([
	['right', 120],
	['missing', undefined],
	['tooSmall', 60],
	['tooLarge', 247],
] as const)('total can be %s', (total, expected) =>
	withService({ dialect: { total } }, async (service) => {
		expect(toPage(await send(service, messages)).total).toBe(expected);
	}),
);

test('page can be ignored, the last one repeated, and pages kept small', () =>
	withService({ dialect: { ignorePage: true } }, async (service) => {
		const page = async (query: string) => toPage(await send(service, `${messages}?${query}`)).data;
		expect(await page('page=4')).toEqual(await page('page=1'));
		await service.configure({ dialect: { ignorePage: false, repeatLastPage: true } });
		expect(await page('limit=50&page=9')).toEqual(await page('limit=50&page=3'));
		await service.configure({ dialect: { repeatLastPage: false, maxPageSize: 10 } });
		expect(await page('limit=50')).toHaveLength(10);
		expect(await page('limit=50&page=12')).toHaveLength(10);
		expect(await page('limit=50&page=13')).toEqual([]);
	}));

test('messages can arrive between pages', () =>
	withService({ dialect: { drift: 3 } }, async (service) => {
		const page = async (number: number) =>
			toPage(await send(service, `${messages}?limit=10&page=${number}`));
		const first = await page(1);
		const second = await page(2);
		expect(second.total).toBe(123);
		expect(second.data.slice(0, 3)).toEqual(first.data.slice(7));
	}));

test('the service can be mounted below a path', () =>
	withService({ dialect: { basePath: '/api/v2' } }, async (service) => {
		expect(service.url).toBe(`${service.origin}/api/v2`);
		const page = toPage(await send(service, `${messages}?limit=5`));
		expect(page.links?.next).toBe(`${service.url}/public/messages?limit=5&page=2`);
		const [pipeline] = seeded.demo.pipelines;
		const path = `/public/pipelines/${pipeline?.id}/versions`;
		expect((await send(service, path, { body: { schema: {} } })).status).toBe(201);
		expect((await send(service, service.origin + messages)).status).toBe(404);
	}));
