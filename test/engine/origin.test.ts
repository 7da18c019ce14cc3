import { nodeOperations, operationIds } from '../../sandbox/operations.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { credentialOf, idsOf, messagesOf, run, start, startStranger, wordsOf } from './service.ts';

describe.each([301, 302, 303, 307, 308] as const)('a redirect with status %i', (status) => {
	test('to another origin is not followed by any operation', async () => {
		const stranger = await startStranger();
		const location = `${stranger.url}/public/messages`;
		const service = await start({ faults: [{ kind: 'redirect', location, status }] });
		for (const operation of operationIds) {
			const { minimal } = nodeOperations[operation];
			const words = wordsOf(await run(service, operation, minimal));
			expect(words.message).toContain('redirect');
			expect(words.description).toContain(stranger.url);
		}
		expect(stranger.requests).toEqual([]);
		expect(service.received()).toHaveLength(operationIds.length);
	});

	test('within the origin is not followed either', async () => {
		const service = await start({
			faults: [{ kind: 'redirect', location: '/elsewhere', status }],
		});
		await run(service, 'inbox.getAll', {});
		expect(service.received().map(({ path }) => path)).toEqual(['/public/admin/inboxes']);
	});
});

describe('the base URL', () => {
	const spellings: Array<[string, (url: string) => string]> = [
		['as it is', (url) => url],
		['with a slash at its end', (url) => `${url}/`],
		['with several slashes at its end', (url) => `${url}///`],
		['with spaces around it', (url) => `  ${url}  `],
		['with capitals in the scheme', (url) => url.replace('http:', 'HTTP:')],
	];

	describe.each(['', '/api/v2'])('with the path prefix "%s"', (basePath) => {
		test.each(spellings)('may be written %s', async (_way, spell) => {
			const service = await start({ dialect: { basePath, links: 'relative' } });
			const credential = { baseUrl: spell(service.url), apiKey: seeded.demo.apiKey };
			const { json, error } = await run(
				service,
				'message.getAll',
				{ returnAll: true },
				{ credential },
			);
			expect(error).toBeUndefined();
			expect(idsOf(json)).toEqual(idsOf(messagesOf(service)));
			for (const { path } of service.received()) expect(path).toBe(`${basePath}/public/messages`);
		});
	});

	test.each<[string, (url: string) => string]>([
		['a user name', (url) => url.replace('//', '//ada:hunter2@')],
		['a query', (url) => `${url}?team=1`],
		['a fragment', (url) => `${url}#top`],
	])('with %s is refused before anything is sent', async (_part, spell) => {
		const service = await start();
		const credential = credentialOf(service, { baseUrl: spell(service.url) });
		const result = await run(service, 'inbox.getAll', {}, { credential });
		expect(wordsOf(result).message).toContain('base URL');
		expect(JSON.stringify(result)).not.toContain('hunter2');
		expect(service.received()).toEqual([]);
	});
});

test('values stay in their place: a search is encoded, a name is sent as it is', async () => {
	const service = await start();
	await run(service, 'inbox.getAll', { filters: { phone: '+1555&page=9#x' } });
	await run(service, 'inbox.createExternal', { name: '../../admin?a=1' });
	const [search, creation] = service.received();
	expect(new URLSearchParams(search?.query).get('phone')).toBe('+1555&page=9#x');
	expect(creation).toMatchObject({
		path: '/public/telephony-connector/inbox/websocket',
		body: { name: '../../admin?a=1' },
	});
});
