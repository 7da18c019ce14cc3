/** How the stand-in speaks when it is told to speak otherwise. */
import { seeded, type Service } from '../../sandbox/service/service.ts';
import { send, toPage, withService } from './client.ts';

const messages = '/public/messages';
const page = async (service: Service, query = '') =>
	toPage(await send(service, `${messages}?${query}`));

test('the connector segment and the base path, also while running', () =>
	withService({ dialect: { customNames: { connectorSegment: 'acme' } } }, async (service) => {
		const create = async (segment: string) => {
			const body = { name: 'Chat' };
			return (await send(service, `/public/${segment}-connector/inbox/websocket`, { body })).status;
		};
		expect([await create('acme'), await create('telephony')]).toEqual([201, 404]);
		await service.configure({
			dialect: { basePath: '/api/v2', customNames: { connectorSegment: 'voice' } },
		});
		expect(service.url).toBe(`${service.origin}/api/v2`);
		expect(await create('voice')).toBe(201);
		expect((await page(service, 'limit=5')).links?.next).toMatch(`${service.url}/public/messages?`);
	}));

test.each([
	['repeat', (name: string, ids: string[]) => ids.map((id) => `${name}=${id}`).join('&')],
	['brackets', (name: string, ids: string[]) => ids.map((id) => `${name}[]=${id}`).join('&')],
	['comma', (name: string, ids: string[]) => `${name}=${ids.join(',')}`],
] as const)('inbox IDs in the format %s', (inboxIdsFormat, format) =>
	withService(
		{ dialect: { customNames: { inboxIdsParameter: 'boxes', inboxIdsFormat } } },
		async (service) => {
			const total = async (query: string) => (await page(service, query)).total ?? 0;
			const [first = '', second = ''] = seeded.demo.inboxIds;
			const one = await total(format('boxes', [first]));
			const other = await total(format('boxes', [second]));
			expect(one).toBeGreaterThan(0);
			expect(one).toBeLessThan(120);
			expect(await total(format('boxes', [first, second]))).toBe(one + other);
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
			const times = service.teams()[0]?.messages.map(({ at }) => format(at)) ?? [];
			expect((await page(service, `since=${times[19]}&until=${times[29]}`)).total).toBe(10);
		},
	),
);

test('limit and page under other names, but not for inboxes, where they are documented', () =>
	withService(
		{ dialect: { customNames: { limitParameter: 'size', pageParameter: 'p' } } },
		async (service) => {
			const { data, links } = await page(service, 'size=7&p=2&limit=3');
			expect([data.length, links?.next]).toEqual([7, expect.stringContaining('p=3')]);
			const inboxes = toPage(await send(service, '/public/admin/inboxes?limit=7&page=2'));
			expect(inboxes.data).toHaveLength(7);
			expect(inboxes.links?.next).toContain('page=3');
		},
	));

test('links are absolute, relative, foreign or missing', () =>
	withService({}, async (service) => {
		const next = async () => (await page(service, 'limit=5')).links?.next;
		expect(await next()).toBe(`${service.url}/public/messages?limit=5&page=2`);
		await service.configure({ dialect: { links: 'relative' } });
		expect(await next()).toBe('/public/messages?limit=5&page=2');
		await service.configure({ dialect: { links: 'foreign' } });
		expect(new URL((await next()) ?? '').host).not.toBe(new URL(service.url).host);
		await service.configure({ dialect: { links: 'none' } });
		expect(await next()).toBeUndefined();
		await service.configure({ dialect: { links: 'absolute', endLinks: 'omitted' } });
		expect((await page(service, 'limit=50&page=3')).links).not.toHaveProperty('next');
	}));

test.each([
	['right', 120],
	['missing', undefined],
	['tooSmall', 60],
	['tooLarge', 247],
] as const)('total can be %s', (total, expected) =>
	withService({ dialect: { total } }, async (service) => {
		expect((await page(service)).total).toBe(expected);
	}),
);

test('pages can be counted from 0, ignored, repeated, kept small, and shift', () =>
	withService({ dialect: { firstPage: 0 } }, async (service) => {
		const ids = async (query: string) => (await page(service, query)).data.map(({ id }) => id);
		expect(await ids('page=0')).toEqual(await ids(''));
		expect(await ids('limit=50&page=2')).toHaveLength(20);
		await service.configure({ dialect: { firstPage: 1, ignorePage: true } });
		expect(await ids('page=4')).toEqual(await ids('page=1'));
		await service.configure({ dialect: { ignorePage: false, repeatLastPage: true } });
		expect(await ids('limit=50&page=9')).toEqual(await ids('limit=50&page=3'));
		await service.configure({ dialect: { repeatLastPage: false, maxPageSize: 10 } });
		expect(await ids('limit=50&page=12')).toHaveLength(10);
		expect(await ids('limit=50&page=13')).toEqual([]);
		await service.configure({ dialect: { drift: 3 } });
		const first = await ids('limit=10&page=1');
		expect((await ids('limit=10&page=2')).slice(0, 3)).toEqual(first.slice(7));
	}));
