/** What n8n's editor offers for this package, asked for as the editor asks. */
import { createServer, type Server } from 'node:http';

import { CREDENTIAL_TYPE, testCredential } from '../../sandbox/n8n/credentials.ts';
import { mapFields, searchList } from '../../sandbox/n8n/dynamicParameters.ts';
import { ACTION_TYPE, listNodeTypes } from '../../sandbox/n8n/nodeTypes.ts';
import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { byId } from '../../sandbox/operations.ts';
import { seeded } from '../../sandbox/service/service.ts';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ editor: true });
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

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
			else if (url?.startsWith('/dripping')) response.write('<');
			if (url?.startsWith('/dripping')) return;
			response.end(url?.startsWith('/other') ? '{"hello":"world"}' : '<!doctype html><p>Welcome');
		});
		port = await findFreePort();
		await new Promise<void>((resolve) => elsewhere.listen(port, LOOPBACK, resolve));
	});

	afterAll(() => {
		elsewhere.closeAllConnections();
		elsewhere.close();
	});

	const service = () => sandbox.service.url;
	const at = (path: string) => () => `http://${LOOPBACK}:${port}${path}`;
	const webhook = () => `${service()}/public/pipelines/webhook/${seeded.demo.webhookIds[0]}`;

	const { apiKey } = seeded.demo;

	// n8n 1.x looks at the rules only when the answer is a success, and has words of its own otherwise.
	test.each<[string, 'OK' | 'Error', () => string | Promise<string>, string, RegExp]>([
		['passes with the right key', 'OK', service, apiKey, /successful/],
		['passes with a slash too many', 'OK', () => `${service()}/`, apiKey, /successful/],
		['passes with the whole address of a webhook', 'OK', webhook, apiKey, /successful/],
		[
			'blames a wrong key',
			'Error',
			service,
			'wrong-key',
			/does not accept the API key|Authorization failed/,
		],
		[
			'blames a place without a server',
			'Error',
			async () => `http://${LOOPBACK}:${await nobody}`,
			apiKey,
			/ECONNREFUSED|refused the connection/,
		],
		[
			'blames a path too many',
			'Error',
			() => `${service()}/x`,
			apiKey,
			/not at this address|not be found/,
		],
		['blames what is no address', 'Error', () => 'http:messaging', apiKey, /base URL is not a web/],
		['says that there is a website', 'Error', at(''), apiKey, /There is a website/],
		['is not content with any JSON', 'Error', at('/other'), apiKey, /not at this address/],
		['says that the address redirects', 'Error', at('/moved'), apiKey, /redirects|status code 302/],
		[
			'ends although the answer does not',
			'Error',
			at('/dripping'),
			apiKey,
			/ERR_CANCELED|canceled/,
		],
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

describe('the lists to choose from', () => {
	const { inboxIds } = seeded.demo;
	const searchInboxes = async (filter?: string) => {
		const { results } = await searchList(sandbox.n8n.rest, {
			nodeType: ACTION_TYPE,
			parameter: 'filters.inboxIds',
			method: 'searchInboxes',
			parameters: { resource: 'message', operation: 'getAll' },
			credentials: sandbox.credentials,
			filter,
		});
		return results;
	};

	it('has the inboxes in the order of the service, and finds them by name and by phone number', async () => {
		const all = await searchInboxes();
		expect(all.map(({ value }) => value)).toEqual(inboxIds.slice(0, all.length));
		const [first] = all;
		expect(first?.name).toMatch(/\+1555555\d{4}/);

		const [name = '', phone = ''] = (first?.name ?? '').split(' · ');
		for (const filter of [name.toLowerCase(), phone]) {
			const results = await searchInboxes(filter);
			expect(results).toContainEqual(expect.objectContaining({ value: first?.value }));
			expect(results.length).toBeLessThan(inboxIds.length);
		}
	});

	it('has a field for each placeholder of the chosen template', async () => {
		const common = { nodeType: ACTION_TYPE, credentials: sandbox.credentials };
		const parameters = { resource: 'messageTemplate', operation: 'render' };
		const { results } = await searchList(sandbox.n8n.rest, {
			...common,
			parameter: 'templateId',
			method: 'searchTemplates',
			parameters,
		});
		const team = sandbox.service.teams().find(({ apiKey }) => apiKey === seeded.demo.apiKey);
		const template = team?.templates.find(({ body }) => body?.includes('{{'));
		const id = String(template?.id);
		expect(results.map(({ value }) => value)).toContain(id);

		const { fields } = await mapFields(sandbox.n8n.rest, {
			...common,
			parameter: 'values',
			method: 'getPlaceholders',
			parameters: { ...parameters, templateId: { ...byId(id), mode: 'list' } },
		});
		const placeholders = [...(template?.body ?? '').matchAll(/{{\s*([^{}]+?)\s*}}/g)];
		expect(fields.map((field) => field.id)).toEqual([
			...new Set(placeholders.map(([, placeholder]) => placeholder)),
		]);
	});
});
