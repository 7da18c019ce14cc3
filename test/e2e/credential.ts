/** What n8n makes of the credential: its test, and n8n's own HTTP Request node, which may use it. */
import type { INodeCredentialTestResult, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../sandbox/n8n/credentials.ts';
import type { Run } from '../../sandbox/n8n/flow.ts';
import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import { seeded, startService, type Fault, type Service } from '../../sandbox/service/service.ts';
import { sandbox } from './shared.ts';

const { apiKey } = seeded.demo;

describe('The credential', () => {
	/** A service at another address, which would take the key. */
	let stranger: Service;

	beforeAll(async () => {
		stranger = await startService({ messages: 0 });
	});

	afterAll(() => stranger.close());

	beforeEach(async () => {
		await stranger.reset('log');
		await sandbox.service.reset('settings', 'log');
	});

	const inboxesAt = ({ url }: Pick<Service, 'url'>) => `${url}/public/admin/inboxes`;

	/** Has the service send whoever asks to the stranger. */
	const redirect = (): Fault[] => [{ kind: 'redirect', location: inboxesAt(stranger) }];

	describe('its test', () => {
		const nobody = findFreePort();
		const service = () => sandbox.service.url;
		const webhook = () => `${service()}/public/pipelines/webhook/${seeded.demo.webhookIds[0]}`;

		test.each<[string, () => string | Promise<string>, string, RegExp, (() => Fault[])?]>([
			['passes with the right key', service, apiKey, /successful/],
			['passes with the whole address of a webhook', webhook, apiKey, /successful/],
			['blames a wrong key', service, 'wrong-key', /does not accept the API key/],
			[
				'blames a place without a server',
				async () => `http://${LOOPBACK}:${await nobody}`,
				apiKey,
				/ECONNREFUSED|refused the connection/,
			],
			['blames a path too many', () => `${service()}/x`, apiKey, /not at this address/],
			['blames what is no address', () => 'http:messaging', apiKey, /base URL is not a web/],
			[
				'says that there is a website',
				service,
				apiKey,
				/There is a website/,
				() => [{ kind: 'html' }],
			],
			['says that it is redirected', service, apiKey, /redirects/, redirect],
		])('%s', async (what, baseUrl, key, words, faults = () => []) => {
			await sandbox.service.configure({ faults: faults() });
			const data = { baseUrl: await baseUrl(), apiKey: key };
			const { status, message } = await sandbox.n8n.rest.post<INodeCredentialTestResult>(
				'/rest/credentials/test',
				{ credentials: { id: '', name: 'Tested', type: CREDENTIAL_TYPE, data } },
			);

			expect(message).toMatch(words);
			expect(status).toBe(what.startsWith('passes') ? 'OK' : 'Error');
			expect(message).not.toContain('wrong-key');
			expect(stranger.received()).toEqual([]);
		});
	});

	describe("in n8n's HTTP Request node", () => {
		/** Asks for the inboxes with the HTTP Request node and the credential. */
		async function request(parameters: INodeParameters = {}): Promise<Run> {
			return await sandbox.run([
				{
					name: 'Request',
					type: 'n8n-nodes-base.httpRequest',
					typeVersion: 4.2,
					parameters: {
						url: inboxesAt(sandbox.service),
						authentication: 'predefinedCredentialType',
						nodeCredentialType: CREDENTIAL_TYPE,
						...parameters,
					},
					credentials: sandbox.credentials,
				},
			]);
		}

		test('reaches the service with the key', async () => {
			const { items } = await request();
			expect(items()[0]?.json.data).toHaveLength(20);
			expect(sandbox.service.received()).toMatchObject([
				{ headers: { apikey: apiKey }, status: 200 },
			]);
		});

		test('does not follow a redirect to another server, whatever the node is set to', async () => {
			await sandbox.service.configure({ faults: redirect() });
			for (const options of [{}, { redirect: { redirect: { followRedirects: true } } }]) {
				expect(JSON.stringify(await request({ options }))).not.toContain(apiKey);
			}
			expect(sandbox.service.received()).toHaveLength(2);
			expect(stranger.received()).toEqual([]);
		});

		/** Goes on at the stranger after the first page. */
		const pagination = () => ({
			paginationMode: 'responseContainsNextURL',
			nextURL: `={{ $pageCount === 0 ? '${inboxesAt(sandbox.service)}' : '${inboxesAt(stranger)}' }}`,
			limitPagesFetched: true,
			maxRequests: 2,
		});

		test.each<[string, RegExp, number, () => INodeParameters]>([
			['for another server', /sent only to/, 0, () => ({ url: inboxesAt(stranger) })],
			[
				'for the next page at another server',
				/sent only to/,
				1,
				() => ({ options: { pagination: { pagination: pagination() } } }),
			],
			['with a proxy', /"Proxy"/, 0, () => ({ options: { proxy: stranger.url } })],
			[
				'where others could read the key',
				/"Ignore SSL Issues/,
				0,
				() => ({ options: { allowUnauthorizedCerts: true } }),
			],
		])('is refused %s', async (_what, words, requests, parameters) => {
			const run = await request(parameters());
			const { message, description } = Object(run.error);
			expect(`${message} ${description}`).toMatch(words);
			expect(JSON.stringify(run)).not.toContain(apiKey);
			expect(stranger.received()).toEqual([]);
			expect(sandbox.service.received()).toHaveLength(requests);
		});
	});
});
