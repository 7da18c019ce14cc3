/** That the stand-in answers as openapi.yaml says, and refuses what it does not have. */
import { parseJson } from '../../sandbox/json.ts';
import { nodeOperations } from '../../sandbox/operations.ts';
import { seeded, startService, type Service } from '../../sandbox/service/service.ts';
import { operations, validatorAt, type Operation } from '../contract/document.ts';

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
	const { path, method, responses } = operation;
	const { status, body, text } = await sendSample(operation);
	const declared = [String(status), `${String(status)[0]}XX`].find((key) => key in responses);
	expect(String(declared)).toMatch(/^2/);
	if (!('content' in Object(responses[declared ?? '']))) return expect(text).toBe('');
	const place = ['paths', path, method, 'responses', declared ?? '', 'content'];
	const validate = validatorAt(...place, 'application/json', 'schema');
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

test.each(['phone=1', '[]', '{"phone":15555550142}'])('a webhook refuses %s', async (body) => {
	expect((await send(WEBHOOK, { body })).status).toBe(400);
});

test('teams do not find what belongs to another', async () => {
	const { apiKey, pipelines } = seeded.second;
	const versions = `/public/pipelines/${pipelines[0]?.id}/versions`;
	const body = { schema: {} };
	expect((await send(WEBHOOK, { apiKey, body })).status).toBe(404);
	expect((await send(versions, { body })).status).toBe(404);
	expect((await send(versions, { apiKey, body })).status).toBe(201);
});

test('a message comes in over HTTP as well, as npm start says', async () => {
	const control = `${service.origin}/__control/messages`;
	const request = { apiKey: null, body: { body: 'Ping' } };
	expect((await send(control, request)).body).toMatchObject({ body: 'Ping' });
	expect((await send('/public/messages?limit=1')).body).toMatchObject({ data: [{ body: 'Ping' }] });
});
