/** That the stand-in answers as openapi.yaml says, and refuses what it does not have. */
import { until } from '../../sandbox/n8n/until.ts';
import { nodeOperations } from '../../sandbox/operations.ts';
import { seeded, startService, type Service } from '../../sandbox/service/service.ts';
import { operations, validatorAt, type Operation } from '../contract/document.ts';
import { invoke, send, withService, type Request } from './client.ts';

let service: Service;
beforeAll(async () => {
	service = await startService({ messages: 120 });
});
afterAll(() => service.close());

/** Sends the request that the table of operations has for an operation. */
function sendSample({ operationId, path, method, needsKey }: Operation, more: Request = {}) {
	const { request } = nodeOperations[operationId];
	const values = new Map<string, unknown>(Object.entries(request.path ?? {}));
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(request.query ?? {})) query.append(name, `${value}`);
	const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(values.get(name)));
	return send(service, `${filled}?${query}`, {
		method: method.toUpperCase(),
		apiKey: needsKey ? seeded.demo.apiKey : null,
		body: request.body,
		...more,
	});
}

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

test.each(['/', '/public', '/public/nothing', '/messages', '/public/messages/1'])(
	'%s is not there',
	async (path) => {
		expect((await send(service, path)).status).toBe(404);
	},
);

test.each([
	['not JSON', 'phone=1'],
	['an array', '[]'],
	['null', 'null'],
	['nothing', ''],
	['a phone that is no string', '{"phone":15555550142}'],
])('a webhook refuses %s', async (_what, text) => {
	expect((await invoke(service, { text })).status).toBe(400);
});

test('teams do not find what belongs to another', async () => {
	const { apiKey, pipelines } = seeded.second;
	const versions = `/public/pipelines/${pipelines[0]?.id}/versions`;
	const body = { schema: {} };
	expect((await invoke(service, { apiKey })).status).toBe(404);
	expect((await send(service, versions, { body })).status).toBe(404);
	expect((await send(service, versions, { apiKey, body })).status).toBe(201);
});

test('keeps accepted calls in order, and the agent answers them', () =>
	withService({}, async (own) => {
		// The agent has no number for the first one, or it would answer that before the second.
		await invoke(own, { body: {} });
		await invoke(own, { body: { phone: '+1 555 555 0142', firstName: 'Ada' } });
		expect(own.accepted()).toMatchObject([
			{ webhookId: seeded.demo.webhookIds[0], body: {} },
			{ team: seeded.demo.id, body: { firstName: 'Ada' } },
		]);
		expect(own.counts()).toMatchObject({ requests: 2, accepted: 2 });
		const isAnswered = async () => {
			const { body } = await send(own, '/public/messages?limit=1');
			return Object(body).total > 120 && body;
		};
		expect(await until('the agent has answered', isAnswered, { pollMs: 5 })).toMatchObject({
			total: 121,
			data: [{ body: expect.stringContaining('Ada') }],
		});
	}));

test('is controlled over HTTP as well', () =>
	withService({}, async (own) => {
		const control = (name: string, body?: unknown) =>
			send(own, `${own.origin}/__control/${name}`, { apiKey: null, method: 'POST', body });
		expect((await control('settings', { dialect: { firstPage: 0 } })).status).toBe(200);
		expect(own.settings().dialect).toMatchObject({ firstPage: 0, drift: 0 });
		expect((await control('messages')).body).toMatchObject({ inbound: true });
		expect((await control('messages', { body: 'Ping' })).body).toMatchObject({ body: 'Ping' });
		expect((await send(own, '/public/messages?limit=1')).body).toMatchObject({ total: 122 });
		const { body } = await send(own, `${own.origin}/__control/received`);
		expect(body).toMatchObject([{ operationId: 'message.getAll' }]);
		await own.reset();
		expect((await send(own, '/public/messages?limit=1')).body).toMatchObject({ total: 120 });
	}));
