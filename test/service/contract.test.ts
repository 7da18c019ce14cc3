import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

import { seeded, startService } from '../../sandbox/service/service.ts';
import type { Service } from '../../sandbox/service/service.ts';
import { send } from './client.ts';
import type { Request } from './client.ts';

interface Operation {
	operationId: string;
	path: string;
	method: string;
	responses: Record<string, unknown>;
}

const document: { paths: Record<string, Record<string, Omit<Operation, 'path' | 'method'>>> } =
	parse(readFileSync(join(import.meta.dirname, '../../openapi.yaml'), 'utf8'));
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
	Object.entries(item)
		.filter(([method]) => ['get', 'post', 'patch'].includes(method))
		.map(([method, operation]): Operation => ({ ...operation, path, method })),
);

const [pipeline] = seeded.demo.pipelines;
const versions = `/public/pipelines/${pipeline?.id}/versions`;
const requests: Record<string, { path: string } & Request> = {
	'otp.verify': { path: `/verify-otp?token=${seeded.otpTokens.valid[0]}`, apiKey: null },
	'user.create': {
		path: '/public/admin/users',
		body: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Byron' },
	},
	'inbox.getAll': { path: '/public/admin/inboxes?limit=50' },
	'inbox.createExternal': {
		path: '/public/telephony-connector/inbox/websocket',
		body: { name: 'Web chat' },
	},
	'message.getAll': { path: '/public/messages?limit=50' },
	'messageTemplate.getAll': { path: '/public/message-templates?limit=50' },
	'pipelineVersion.create': { path: versions, body: { schema: { nodes: [] } } },
	'pipelineVersion.update': {
		path: `${versions}/${pipeline?.versionIds[0]}`,
		method: 'PATCH',
		body: { name: 'Renamed' },
	},
	'pipeline.invokeWebhook': {
		path: `/public/pipelines/webhook/${seeded.demo.webhookIds[0]}`,
		body: { phone: '+15555550142', outboundDial: false, lead: { id: 7 } },
	},
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: 'openapi', ...document });

/** Validates against the schema of the response that the contract has for the status. */
function expectValid({ path, method, responses }: Operation, status: number, body: unknown) {
	const name = [String(status), `${String(status)[0]}XX`].find((key) => key in responses);
	expect(name).toBeDefined();
	const pointer = [path, method, 'responses', name, 'content', 'application/json', 'schema'].map(
		(part) => encodeURIComponent(String(part).replace(/~/g, '~0').replace(/\//g, '~1')),
	);
	const validate = ajv.compile({ $ref: `openapi#/paths/${pointer.join('/')}` });
	validate(body);
	expect(validate.errors).toBeNull();
}

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterAll(() => service.close());

test.each(operations)('$operationId answers as the contract says', async (operation) => {
	const { path, ...request } = requests[operation.operationId] ?? { path: '' };
	const response = await send(service, path, request);
	if (operation.operationId === 'pipeline.invokeWebhook') {
		expect(response.status).toBe(202);
		expect(response.text).toBe('');
		return;
	}
	expect(response.status).toBeGreaterThanOrEqual(200);
	expect(response.status).toBeLessThan(300);
	expectValid(operation, response.status, response.body);
});

test.each(operations)(
	'$operationId needs a valid key, unless it verifies a password',
	async (op) => {
		const { path, ...request } = requests[op.operationId] ?? { path: '' };
		for (const apiKey of [null, 'wrong', '__proto__']) {
			const { status } = await send(service, path, { ...request, apiKey });
			expect(status).toBe(op.operationId === 'otp.verify' ? 200 : 401);
		}
	},
);

test.each(['/', '/public', '/public/nothing', '/messages', '/public/messages/1'])(
	'%s is not there',
	async (path) => {
		expect((await send(service, path)).status).toBe(404);
	},
);

test('verifies one-time passwords with a single string', async () => {
	const verify = (query: string) => send(service, `/verify-otp${query}`, { apiKey: null });
	expect((await verify(`?token=${seeded.otpTokens.valid[1]}`)).body).toBe('verified');
	expect((await verify(`?token=${seeded.otpTokens.invalid}`)).body).toBe('invalid');
	expect((await verify('')).status).toBe(400);
});

test('adds a user once', async () => {
	const body = { email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper' };
	const first = await send(service, '/public/admin/users', { body });
	expect(first.status).toBe(201);
	expect(first.body).toMatchObject({ ...body, role: 'member' });
	expect((await send(service, '/public/admin/users', { body })).status).toBe(409);
	const { apiKey } = seeded.second;
	expect((await send(service, '/public/admin/users', { body, apiKey })).status).toBe(201);
});

test('lists an external inbox after its creation', async () => {
	const path = '/public/telephony-connector/inbox/websocket';
	const { apiKey } = seeded.second;
	const created = await send(service, path, { apiKey, body: { name: 'Chat window' } });
	expect(created.body).toMatchObject({
		data: { id: expect.any(String), externalId: expect.any(String), name: 'Chat window' },
	});
	const list = await send(service, '/public/admin/inboxes', { apiKey });
	expect(list.body).toMatchObject({ total: 6 });
	expect(list.text).toContain('Chat window');
});

describe('pipeline versions', () => {
	const team = seeded.second.pipelines[0];
	const path = `/public/pipelines/${team?.id}/versions`;
	const { apiKey } = seeded.second;

	test('get the next number, and null for no name', async () => {
		const unnamed = await send(service, path, { apiKey, body: { schema: { a: 1 } } });
		expect(unnamed.body).toMatchObject({
			number: 3,
			versionNumber: 3,
			name: null,
			versionName: null,
			isLatestLive: false,
			schema: { a: 1 },
		});
		const parentVersionId = team?.versionIds[0];
		const body = { schema: {}, versionName: 'Branch', parentVersionId, newBranch: true };
		const named = await send(service, path, { apiKey, body });
		expect(named.body).toMatchObject({ number: 4, name: 'Branch', versionName: 'Branch' });
	});

	test('are renamed', async () => {
		const request = { apiKey, method: 'PATCH', body: { name: 'Autumn' } };
		const renamed = await send(service, `${path}/${team?.versionIds[1]}`, request);
		expect(renamed.status).toBe(200);
		expect(renamed.body).toMatchObject({ name: 'Autumn', versionName: 'Autumn', number: 2 });
	});

	test('are not found in another team, in another pipeline or with another ID', async () => {
		const unknown = '00000000-0000-4000-8000-000000000000';
		const patch = { method: 'PATCH', body: { name: 'Mine' } };
		const statuses = await Promise.all([
			send(service, path, { body: { schema: {} } }),
			send(service, `/public/pipelines/${unknown}/versions`, { body: { schema: {} } }),
			send(service, path, { apiKey, body: { schema: {}, parentVersionId: unknown } }),
			send(service, `${path}/${team?.versionIds[0]}`, patch),
			send(service, `${path}/${unknown}`, { apiKey, ...patch }),
		]);
		expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
	});

	test('need a schema and valid IDs', async () => {
		const statuses = await Promise.all([
			send(service, path, { apiKey, body: {} }),
			send(service, path, { apiKey, body: { schema: 'text' } }),
			send(service, path, { apiKey, body: { schema: {}, parentVersionId: 'no' } }),
			send(service, '/public/pipelines/no/versions', { apiKey, body: { schema: {} } }),
		]);
		expect(statuses.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
	});
});
