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

test('values stay in their place: a token is encoded, a name is sent as it is', async () => {
	const service = await start();
	await run(service, 'otp.verify', { token: '+1555&page=9#x' });
	await run(service, 'inbox.createExternal', { name: '../../admin?a=1' });
	const [verification, ...others] = service.received();
	expect(new URLSearchParams(verification?.query).get('token')).toBe('+1555&page=9#x');
	expect(others.at(-1)).toMatchObject({
		path: '/public/telephony-connector/inbox/websocket',
		body: { name: '../../admin?a=1' },
	});
});
