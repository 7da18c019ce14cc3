import { nodeOperations, operationIds } from '../../sandbox/operations.ts';
import { credentialOf, idsOf, messagesOf, run, start, startStranger, wordsOf } from './service.ts';

describe.each([301, 302, 303, 307, 308] as const)('a redirect with status %i', (status) => {
	test.each(['to another origin', 'within the origin'])('%s is not followed', async (where) => {
		const stranger = await startStranger();
		const service = await start();
		const { url } = where === 'within the origin' ? service : stranger;
		const location = `${url}/elsewhere`;
		await service.configure({ faults: [{ kind: 'redirect', location, status }] });
		for (const operation of operationIds) {
			const { minimal } = nodeOperations[operation];
			const words = wordsOf(await run(service, operation, minimal));
			expect(words.message).toContain('redirect');
			expect(words.description).toContain(url);
		}
		expect(stranger.requests).toEqual([]);
		expect(service.received()).toHaveLength(operationIds.length);
	});
});

test('the base URL may have a path, and a slash at its end', async () => {
	const service = await start({ dialect: { basePath: '/api/v2', links: 'relative' } });
	const credential = credentialOf(service, { baseUrl: `${service.url}/` });
	const parameters = { returnAll: true };
	const { json, error } = await run(service, 'message.getAll', parameters, { credential });
	expect(error).toBeUndefined();
	expect(idsOf(json)).toEqual(idsOf(messagesOf(service)));
	for (const { path } of service.received()) expect(path).toBe('/api/v2/public/messages');
});
