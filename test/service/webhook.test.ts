import { setTimeout as sleep } from 'node:timers/promises';

import { seeded } from '../../sandbox/service/service.ts';
import { invoke, send, withService } from './client.ts';

test.each([
	['not JSON', 'phone=1'],
	['an array', '[]'],
	['a string', '"text"'],
	['null', 'null'],
	['nothing', ''],
	['a phone that is no string', '{"phone":15555550142}'],
	['an outboundDial that is no boolean', '{"outboundDial":"true"}'],
])('refuses %s', (_what, text) =>
	withService({}, async (service) => {
		expect((await invoke(service, { text })).status).toBe(400);
		expect(service.accepted()).toEqual([]);
	}),
);

test('refuses a body that is not declared to be JSON', () =>
	withService({}, async (service) => {
		const headers = { 'content-type': 'text/plain' };
		expect((await invoke(service, { headers })).status).toBe(400);
	}));

test("does not find unknown webhooks, nor another team's", () =>
	withService({}, async (service) => {
		expect((await invoke(service, { apiKey: seeded.second.apiKey })).status).toBe(404);
		const unknown = await send(service, '/public/pipelines/webhook/nothing', { body: {} });
		expect(unknown.status).toBe(404);
		expect(service.accepted()).toEqual([]);
	}));

test('keeps accepted calls with their bodies, in order', () =>
	withService({}, async (service) => {
		await invoke(service, { body: { phone: '+15555550101', lead: { id: 1 } } });
		await invoke(service, { body: {} });
		const [webhookId] = seeded.demo.webhookIds;
		expect(service.accepted()).toMatchObject([
			{ team: seeded.demo.id, webhookId, body: { phone: '+15555550101', lead: { id: 1 } } },
			{ team: seeded.demo.id, webhookId, body: {} },
		]);
		expect(service.received()).toMatchObject([
			{ operationId: 'pipeline.invokeWebhook', method: 'POST', status: 202 },
			{ status: 202 },
		]);
		expect(service.counts()).toMatchObject({ requests: 2, accepted: 2, maxAcceptedPer60s: 2 });
	}));

test('the agent writes to the phone number afterwards', () =>
	withService({ agent: { delayMs: 30 } }, async (service) => {
		const newest = async () => (await send(service, '/public/messages?limit=1')).body;
		await invoke(service, { body: { firstName: 'Ada' } });
		await invoke(service, { body: { phone: '+1 555 555 0142', firstName: 'Ada' } });
		expect(await newest()).toMatchObject({ total: 120 });
		await sleep(100);
		expect(await newest()).toMatchObject({
			total: 121,
			data: [
				{
					inbound: false,
					body: expect.stringContaining('Hi Ada'),
					members: expect.arrayContaining(['+15555550142']),
				},
			],
		});
	}));
