/** The credential in n8n's own HTTP Request node, which sends requests wherever it is told to. */
import { createServer, type Server } from 'node:http';

import type { INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../sandbox/n8n/credentials.ts';
import type { Run } from '../../sandbox/n8n/flow.ts';
import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { sandbox } from './shared.ts';

const { apiKey } = seeded.demo;

describe("the credential in n8n's HTTP Request node", () => {
	/** Another server, with what it was sent. */
	let stranger: Server;
	let elsewhere: string;
	const seenElsewhere: string[] = [];

	beforeAll(async () => {
		stranger = createServer((request, response) => {
			seenElsewhere.push([request.url, ...request.rawHeaders].join('\n'));
			response.setHeader('content-type', 'application/json');
			response.end('{"data":[]}');
		});
		const port = await findFreePort();
		await new Promise<void>((resolve) => stranger.listen(port, LOOPBACK, resolve));
		elsewhere = `http://${LOOPBACK}:${port}`;
	});

	beforeEach(async () => {
		seenElsewhere.length = 0;
		await sandbox.service.reset('settings', 'log');
	});

	afterAll(() => stranger.close());

	/** Sends requests with the HTTP Request node and the credential. */
	async function request(url: string, parameters: INodeParameters = {}): Promise<Run> {
		return await sandbox.run([
			{
				name: 'Request',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				parameters: {
					url,
					authentication: 'predefinedCredentialType',
					nodeCredentialType: CREDENTIAL_TYPE,
					...parameters,
				},
				credentials: sandbox.credentials,
			},
		]);
	}

	const inboxes = () => `${sandbox.service.url}/public/admin/inboxes`;

	/** What the user reads of a run that failed. */
	function failureOf({ status, error }: Run): string {
		expect(status).toBe('error');
		const { message, description } = Object(error);
		return `${message} ${description}`;
	}

	const followRedirects = { redirect: { redirect: { followRedirects: true } } };

	test('reaches the service with the key', async () => {
		const { items } = await request(inboxes());

		expect(items()[0]?.json.data).toHaveLength(20);
		expect(sandbox.service.received()).toMatchObject([
			{ headers: { apikey: apiKey }, status: 200 },
		]);
	});

	test('is refused for another server, which is not even asked', async () => {
		const result = await request(`${elsewhere}/public/admin/inboxes`);

		expect(failureOf(result)).toContain(sandbox.service.origin);
		expect(seenElsewhere).toEqual([]);
		expect(JSON.stringify(result)).not.toContain(apiKey);
	});

	test('does not follow a redirect to another server, whatever the node is set to', async () => {
		const location = `${elsewhere}/taken`;
		await sandbox.service.configure({ faults: [{ kind: 'redirect', location }] });
		for (const options of [{}, followRedirects]) {
			expect(JSON.stringify(await request(inboxes(), { options }))).not.toContain(apiKey);
		}

		expect(sandbox.service.received()).toHaveLength(2);
		expect(seenElsewhere).toEqual([]);
	});

	test.each([
		['Proxy', () => ({ proxy: elsewhere })],
		['Ignore SSL Issues', () => ({ allowUnauthorizedCerts: true })],
	])(
		'is refused with the option "%s", by which others could read the key',
		async (name, options) => {
			const result = await request(inboxes(), { options: options() });

			expect(failureOf(result)).toContain(name);
			expect(seenElsewhere).toEqual([]);
			expect(sandbox.service.received()).toEqual([]);
			expect(JSON.stringify(result)).not.toContain(apiKey);
		},
	);

	test('does not turn the next page over to another server', async () => {
		const pagination = {
			paginationMode: 'responseContainsNextURL',
			nextURL: `={{ $pageCount === 0 ? '${inboxes()}' : '${elsewhere}/inboxes?page=2' }}`,
			limitPagesFetched: true,
			maxRequests: 2,
		};
		const result = await request(inboxes(), { options: { pagination: { pagination } } });

		expect(failureOf(result)).toContain(sandbox.service.origin);
		expect(sandbox.service.received()).toHaveLength(1);
		expect(seenElsewhere).toEqual([]);
	});
});
