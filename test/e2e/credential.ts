/** What n8n's editor makes of the package: its icons, and the test of the credential. */
import { createServer, type Server } from 'node:http';

import { CREDENTIAL_TYPE, testCredential } from '../../sandbox/n8n/credentials.ts';
import { ACTION_TYPE, listNodeTypes } from '../../sandbox/n8n/nodeTypes.ts';
import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { sandbox } from './shared.ts';

test('the node is there, also as a tool for AI agents, with icons that can be fetched', async () => {
	const types = await listNodeTypes(sandbox.n8n.rest);
	const names = types.map(({ name }) => name);
	expect(names).toEqual(expect.arrayContaining([ACTION_TYPE, `${ACTION_TYPE}Tool`]));

	const { iconUrl } = types.find(({ name }) => name === ACTION_TYPE) ?? {};
	for (const path of typeof iconUrl === 'object' ? Object.values(iconUrl) : [iconUrl]) {
		const response = await fetch(new URL(String(path), sandbox.n8n.url));
		expect(response.headers.get('content-type')).toContain('svg');
	}
});

describe('the test of the credential', () => {
	let elsewhere: Server;
	let port: number;
	const nobody = findFreePort();
	const seen: Array<string | undefined> = [];

	beforeAll(async () => {
		elsewhere = createServer(({ url }, response) => {
			seen.push(url);
			if (url?.startsWith('/moved')) response.writeHead(302, { location: '/taken' });
			response.end('<!doctype html><p>Welcome');
		});
		port = await findFreePort();
		await new Promise<void>((resolve) => elsewhere.listen(port, LOOPBACK, resolve));
	});

	afterAll(() => elsewhere.close());

	const service = () => sandbox.service.url;
	const at = (path: string) => () => `http://${LOOPBACK}:${port}${path}`;
	const webhook = () => `${service()}/public/pipelines/webhook/${seeded.demo.webhookIds[0]}`;

	const { apiKey } = seeded.demo;

	test.each<[string, 'OK' | 'Error', () => string | Promise<string>, string, RegExp]>([
		['passes with the right key', 'OK', service, apiKey, /successful/],
		['passes with the whole address of a webhook', 'OK', webhook, apiKey, /successful/],
		['blames a wrong key', 'Error', service, 'wrong-key', /does not accept the API key/],
		[
			'blames a place without a server',
			'Error',
			async () => `http://${LOOPBACK}:${await nobody}`,
			apiKey,
			/ECONNREFUSED|refused the connection/,
		],
		['blames a path too many', 'Error', () => `${service()}/x`, apiKey, /not at this address/],
		['blames what is no address', 'Error', () => 'http:messaging', apiKey, /base URL is not a web/],
		['says that there is a website', 'Error', at(''), apiKey, /There is a website/],
		['says that the address redirects', 'Error', at('/moved'), apiKey, /redirects/],
	])('%s', async (_, outcome, baseUrl, key, words) => {
		const data = { baseUrl: await baseUrl(), apiKey: key };
		const credential = { name: 'Tested', type: CREDENTIAL_TYPE, data };
		const { status, message } = await testCredential(sandbox.n8n.rest, credential);

		expect(message).toMatch(words);
		expect(status).toBe(outcome);
		expect(message).not.toContain('wrong-key');
		// A redirect that was followed would take the key along.
		expect(seen).not.toContain('/taken');
	});
});
