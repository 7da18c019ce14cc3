/** What n8n makes of the package: icons, the test of the credential, and the credential in its own HTTP Request node. */
import { createServer, type Server } from 'node:http';

import type {
	INodeCredentialTestResult,
	INodeParameters,
	INodeTypeDescription,
} from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../sandbox/n8n/credentials.ts';
import type { Run } from '../../sandbox/n8n/flow.ts';
import { ACTION_TYPE } from '../../sandbox/n8n/nodeTypes.ts';
import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { sandbox } from './shared.ts';

const { apiKey } = seeded.demo;
const PAGE = '<!doctype html><p>Welcome';

/** Another server, with what it was sent. */
let stranger: Server;
let elsewhere: string;
const seenElsewhere: string[] = [];

beforeAll(async () => {
	stranger = createServer((request, response) => {
		seenElsewhere.push([request.url, ...request.rawHeaders].join('\n'));
		if (request.url?.startsWith('/moved')) response.writeHead(302, { location: '/taken' });
		response.end(PAGE);
	});
	const port = await findFreePort();
	await new Promise<void>((resolve) => stranger.listen(port, LOOPBACK, resolve));
	elsewhere = `http://${LOOPBACK}:${port}`;
});

afterAll(() => stranger.close());

test('the node is there, also as a tool for AI agents, with icons that can be fetched', async () => {
	// It is a file, which n8n may just be writing anew.
	const types = await until('n8n has a list of its nodes', () =>
		sandbox.n8n.rest.get<INodeTypeDescription[] | undefined>('/types/nodes.json'),
	);
	const names = types.map(({ name }) => name);
	expect(names).toEqual(expect.arrayContaining([ACTION_TYPE, `${ACTION_TYPE}Tool`]));

	const { iconUrl } = types.find(({ name }) => name === ACTION_TYPE) ?? {};
	for (const path of typeof iconUrl === 'object' ? Object.values(iconUrl) : [iconUrl]) {
		const response = await fetch(new URL(String(path), sandbox.n8n.url));
		expect(response.headers.get('content-type')).toContain('svg');
	}
});

describe('the test of the credential', () => {
	const nobody = findFreePort();
	const service = () => sandbox.service.url;
	const webhook = () => `${service()}/public/pipelines/webhook/${seeded.demo.webhookIds[0]}`;

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
		['says that there is a website', 'Error', () => elsewhere, apiKey, /There is a website/],
		['says that it is redirected', 'Error', () => `${elsewhere}/moved`, apiKey, /redirects/],
	])('%s', async (_, outcome, baseUrl, key, words) => {
		const data = { baseUrl: await baseUrl(), apiKey: key };
		const { status, message } = await sandbox.n8n.rest.post<INodeCredentialTestResult>(
			'/rest/credentials/test',
			{ credentials: { id: '', name: 'Tested', type: CREDENTIAL_TYPE, data } },
		);

		expect(message).toMatch(words);
		expect(status).toBe(outcome);
		expect(message).not.toContain('wrong-key');
		// A redirect that was followed would take the key along.
		expect(seenElsewhere.join()).not.toContain('/taken');
	});
});

describe("the credential in n8n's HTTP Request node", () => {
	beforeEach(async () => {
		seenElsewhere.length = 0;
		await sandbox.service.reset('settings', 'log');
	});

	/** Sends requests with the HTTP Request node and the credential. */
	async function request(url: string, options: INodeParameters = {}): Promise<Run> {
		return await sandbox.run([
			{
				name: 'Request',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				parameters: {
					url,
					authentication: 'predefinedCredentialType',
					nodeCredentialType: CREDENTIAL_TYPE,
					options,
				},
				credentials: sandbox.credentials,
			},
		]);
	}

	const inboxes = () => `${sandbox.service.url}/public/admin/inboxes`;

	/** The run was refused with these words, and neither the key nor anything else went to the other server. */
	function expectRefused(run: Run, words: string): void {
		const { message, description } = Object(run.error);
		expect(`${message} ${description}`).toContain(words);
		expect(seenElsewhere).toEqual([]);
		expect(JSON.stringify(run)).not.toContain(apiKey);
	}

	test('reaches the service with the key', async () => {
		const { items } = await request(inboxes());

		expect(items()[0]?.json.data).toHaveLength(20);
		expect(sandbox.service.received()).toMatchObject([
			{ headers: { apikey: apiKey }, status: 200 },
		]);
	});

	test('is refused for another server, which is not even asked', async () => {
		expectRefused(await request(`${elsewhere}/public/admin/inboxes`), sandbox.service.origin);
	});

	test('does not follow a redirect to another server, whatever the node is set to', async () => {
		const location = `${elsewhere}/taken`;
		await sandbox.service.configure({ faults: [{ kind: 'redirect', location }] });
		for (const options of [{}, { redirect: { redirect: { followRedirects: true } } }]) {
			expect(JSON.stringify(await request(inboxes(), options))).not.toContain(apiKey);
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
			expectRefused(await request(inboxes(), options()), name);
			expect(sandbox.service.received()).toEqual([]);
		},
	);

	test('does not turn the next page over to another server', async () => {
		const pagination = {
			paginationMode: 'responseContainsNextURL',
			nextURL: `={{ $pageCount === 0 ? '${inboxes()}' : '${elsewhere}/inboxes?page=2' }}`,
			limitPagesFetched: true,
			maxRequests: 2,
		};
		const run = await request(inboxes(), { pagination: { pagination } });

		expectRefused(run, sandbox.service.origin);
		expect(sandbox.service.received()).toHaveLength(1);
	});
});
