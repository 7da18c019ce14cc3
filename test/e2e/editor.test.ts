/** What n8n's editor offers for this package, asked for as the editor asks. */
import { createServer, type Server } from 'node:http';

import { CREDENTIAL_TYPE } from '../../sandbox/demo/runExamples.ts';
import { testCredential } from '../../sandbox/n8n/credentials.ts';
import { mapFields, searchList } from '../../sandbox/n8n/dynamicParameters.ts';
import { listNodeTypes } from '../../sandbox/n8n/nodeTypes.ts';
import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { ACTION_TYPE, START_TIMEOUT_MS, startSandbox, type Sandbox } from './sandbox.ts';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox();
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

describe('the list of nodes', () => {
	it('has the node, also as a tool for AI agents', async () => {
		const types = await listNodeTypes(sandbox.n8n.rest);

		expect(types.map(({ name }) => name)).toEqual(
			expect.arrayContaining([ACTION_TYPE, `${ACTION_TYPE}Tool`]),
		);
	});

	it('has icons that can be fetched', async () => {
		const types = await listNodeTypes(sandbox.n8n.rest);
		const { iconUrl } = types.find(({ name }) => name === ACTION_TYPE) ?? {};
		const paths = typeof iconUrl === 'object' ? [iconUrl.light, iconUrl.dark] : [iconUrl];

		for (const path of paths) {
			const response = await fetch(new URL(String(path), sandbox.n8n.url));
			expect(response.headers.get('content-type')).toContain('svg');
		}
	});
});

describe('the test of the credential', () => {
	const test = (data: { baseUrl: string; apiKey: string }) =>
		testCredential(sandbox.n8n.rest, { name: 'Tested', type: CREDENTIAL_TYPE, data });
	const { apiKey } = seeded.demo;

	it('passes with the right key', async () => {
		expect(await test({ baseUrl: sandbox.service.url, apiKey })).toEqual({
			status: 'OK',
			message: expect.any(String),
		});
	});

	it('passes with a slash too many', async () => {
		const { status } = await test({ baseUrl: `${sandbox.service.url}/`, apiKey });
		expect(status).toBe('OK');
	});

	it('blames a wrong key', async () => {
		const result = await test({ baseUrl: sandbox.service.url, apiKey: 'wrong-key' });

		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(/key/i) });
		expect(result.message).not.toContain('wrong-key');
	});

	it('blames an address without a service', async () => {
		const result = await test({ baseUrl: `http://${LOOPBACK}:${await findFreePort()}`, apiKey });
		expect(result).toEqual({
			status: 'Error',
			message: expect.stringMatching(/refused|reach|connect/i),
		});
	});

	it('blames an address below which the service is not', async () => {
		const result = await test({ baseUrl: `${sandbox.service.url}/elsewhere`, apiKey });
		expect(result).toEqual({ status: 'Error', message: expect.stringContaining('base URL') });
	});

	it('blames what is no address', async () => {
		const result = await test({ baseUrl: 'messaging', apiKey });
		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(/base URL/i) });
	});

	describe('with something else at the address', () => {
		let website: Server;
		let baseUrl: string;

		beforeAll(async () => {
			website = createServer((_, response) => {
				response.setHeader('content-type', 'text/html');
				response.end('<!doctype html><title>Welcome</title>');
			});
			const port = await findFreePort();
			await new Promise<void>((resolve) => website.listen(port, LOOPBACK, resolve));
			baseUrl = `http://${LOOPBACK}:${port}`;
		});

		afterAll(() => website.close());

		it('says so', async () => {
			expect(await test({ baseUrl, apiKey })).toEqual({
				status: 'Error',
				message: expect.stringContaining('website'),
			});
		});
	});
});

describe('the lists to choose from', () => {
	const credentials = () => ({ [CREDENTIAL_TYPE]: { ...sandbox.credential } });
	const searchInboxes = (more: { filter?: string; paginationToken?: string }) =>
		searchList(sandbox.n8n.rest, {
			nodeType: ACTION_TYPE,
			parameter: 'filters.inboxIds',
			method: 'searchInboxes',
			parameters: { resource: 'message', operation: 'getAll' },
			credentials: credentials(),
			...more,
		});
	const [team] = [seeded.demo];

	it('has the inboxes in the order of the service, with what identifies them', async () => {
		const { results } = await searchInboxes({});

		expect(results.map(({ value }) => value)).toEqual(team.inboxIds.slice(0, results.length));
		expect(results[0]?.name).toMatch(/\+1555555\d{4}/);
	});

	it('finds inboxes by name and by phone number', async () => {
		const [first] = (await searchInboxes({})).results;
		const [name = '', phone = ''] = (first?.name ?? '').split(' · ');

		for (const filter of [name.toLowerCase(), phone]) {
			const { results } = await searchInboxes({ filter });
			expect(results).toContainEqual(expect.objectContaining({ value: first?.value }));
			expect(results.length).toBeLessThan(team.inboxIds.length);
		}
	});

	it('has a field for each placeholder of the chosen template', async () => {
		const templates = await searchList(sandbox.n8n.rest, {
			nodeType: ACTION_TYPE,
			parameter: 'templateId',
			method: 'searchTemplates',
			parameters: { resource: 'messageTemplate', operation: 'render' },
			credentials: credentials(),
		});
		const template = sandbox.service
			.teams()
			.find(({ apiKey }) => apiKey === team.apiKey)
			?.templates.find(({ body }) => body?.includes('{{'));
		expect(templates.results.map(({ value }) => value)).toContain(String(template?.id));

		const { fields } = await mapFields(sandbox.n8n.rest, {
			nodeType: ACTION_TYPE,
			parameter: 'values',
			method: 'getPlaceholders',
			parameters: {
				resource: 'messageTemplate',
				operation: 'render',
				templateId: { __rl: true, mode: 'list', value: String(template?.id) },
			},
			credentials: credentials(),
		});
		const placeholders = [...(template?.body ?? '').matchAll(/{{\s*([^{}]+?)\s*}}/g)];
		expect(fields.map(({ id }) => id)).toEqual([...new Set(placeholders.map(([, id]) => id))]);
	});
});
