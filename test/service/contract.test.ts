/** That the stand-in answers as openapi.yaml says, and refuses what it does not have. */
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

import { parseJson } from '../../sandbox/json.ts';
import { nodeOperations } from '../../sandbox/operations.ts';
import { contract } from '../../sandbox/service/contract.ts';
import { seeded, startService, type Service } from '../../sandbox/service/service.ts';
import { operations, successOf, type Operation } from '../contract/document.ts';

const schemas = new Ajv2020({ strict: false, allErrors: true });
addFormats(schemas);
schemas.addSchema({ $id: 'openapi', ...contract });

interface Request {
	method?: string;
	/** The demo team's unless given; null for none. */
	apiKey?: string | null;
	/** Sent as JSON; a text is sent as it is. */
	body?: unknown;
}

let service: Service;
beforeAll(async () => {
	service = await startService({ messages: 120 });
});
afterAll(() => service.close());

/** Sends a request below the service's base URL, or to an address. */
async function send(path: string, { apiKey = seeded.demo.apiKey, body, method }: Request = {}) {
	const response = await fetch(path.startsWith('http') ? path : service.url + path, {
		method: method ?? (body === undefined ? 'GET' : 'POST'),
		body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
		headers: {
			...(apiKey !== null && { apiKey }),
			...(body !== undefined && { 'content-type': 'application/json' }),
		},
	});
	const text = await response.text();
	return { status: response.status, text, body: parseJson(text) };
}

/** Sends the request that the table of operations has for an operation. */
function sendSample({ operationId, path, method, needsKey }: Operation, more: Request = {}) {
	const { request } = nodeOperations[operationId];
	const values = new Map<string, unknown>(Object.entries(request.path ?? {}));
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(request.query ?? {})) query.append(name, `${value}`);
	const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(values.get(name)));
	return send(`${filled}?${query}`, {
		method: method.toUpperCase(),
		apiKey: needsKey ? seeded.demo.apiKey : null,
		body: request.body,
		...more,
	});
}

const WEBHOOK = `/public/pipelines/webhook/${seeded.demo.webhookIds[0]}`;

test.each(operations)('$operationId answers as the contract says', async (operation) => {
	const [declared, { content }] = successOf(operation);
	const { status, body, text } = await sendSample(operation);
	expect(String(status)).toMatch(new RegExp(`^${declared.replace('XX', '..')}$`));
	if (content === undefined) return expect(text).toBe('');
	const { path, method } = operation;
	const keys = ['paths', path, method, 'responses', declared, 'content', 'application/json'];
	const place = keys.map((key) => encodeURIComponent(key.replaceAll('/', '~1'))).join('/');
	const validate = schemas.compile({ $ref: `openapi#/${place}/schema` });
	validate(body);
	expect(validate.errors).toBeNull();
});

test.each(operations)('$operationId needs a valid key, if any', async (operation) => {
	for (const apiKey of [null, 'wrong', '__proto__']) {
		const { status } = await sendSample(operation, { apiKey });
		expect(status === 401).toBe(operation.needsKey);
	}
});

test('what openapi.yaml does not have is not there', async () => {
	expect((await send('/public/messages/1')).status).toBe(404);
});

test.each<[string, Request]>([
	['/public/messages?limit=many', {}],
	['/public/messages?startDate=yesterday', {}],
	['/verify-otp', { apiKey: null }],
	[WEBHOOK, { body: 'phone=1' }],
	[WEBHOOK, { body: '[]' }],
	[WEBHOOK, { body: '{"phone":15555550142}' }],
])('%s refuses what does not fit: %j', async (path, request) => {
	expect((await send(path, request)).status).toBe(400);
});

test('a message comes in over HTTP as well, as npm start says', async () => {
	const control = `${service.origin}/__control/messages`;
	const request = { apiKey: null, body: { body: 'Ping' } };
	expect((await send(control, request)).body).toMatchObject({ body: 'Ping' });
	expect((await send('/public/messages?limit=1')).body).toMatchObject({ data: [{ body: 'Ping' }] });
});
