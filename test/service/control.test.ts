import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { seeded } from '../../sandbox/service/service.ts';
import type { Service } from '../../sandbox/service/service.ts';
import { invoke, send, withService } from './client.ts';

const control = (service: Service, name: string, body?: unknown) =>
	send(service, `${service.origin}/__control/${name}`, { apiKey: null, body });

test('shows the state and what was received, without counting itself', () =>
	withService({}, async (service) => {
		await invoke(service, { body: { phone: '+15555550110' } });
		expect((await control(service, 'state')).body).toMatchObject({
			url: service.url,
			settings: { dialect: { firstPage: 1 } },
			teams: [{ apiKey: seeded.demo.apiKey, inboxes: 36 }, {}, {}],
			counts: { requests: 1 },
		});
		expect((await control(service, 'received')).body).toMatchObject([
			{ path: expect.stringContaining('/webhook/'), team: seeded.demo.id, status: 202 },
		]);
		expect((await control(service, 'accepted')).body).toMatchObject([
			{ body: { phone: '+15555550110' } },
		]);
		expect((await control(service, 'counts')).body).toMatchObject({ requests: 1, accepted: 1 });
	}));

test('changes settings and sets them back', () =>
	withService({}, async (service) => {
		const patch = { dialect: { basePath: '/v9' }, faults: [{ kind: 'emptyBody' }], latencyMs: 1 };
		expect((await control(service, 'settings', patch)).status).toBe(200);
		expect(service.url.endsWith('/v9')).toBe(true);
		expect((await invoke(service)).status).toBe(200);
		await control(service, 'reset', { parts: ['settings', 'log'] });
		expect((await invoke(service)).status).toBe(202);
		expect(service.counts().requests).toBe(1);
	}));

test.each([
	{ latency: 5 },
	{ dialect: { firstpage: 0 } },
	{ dialect: { firstPage: '0' } },
	{ faults: [{ kind: 'explode' }] },
	{ faults: [{ kind: 'status' }] },
	{ faults: [{ kind: 'html', operations: ['nothing'] }] },
	{ rateLimit: { requests: 0 } },
])('refuses the settings %j', (patch) =>
	withService({}, async (service) => {
		expect((await control(service, 'settings', patch)).status).toBe(400);
	}),
);

test('adds a message now', () =>
	withService({}, async (service) => {
		const inboxId = seeded.demo.inboxIds[3];
		const added = await control(service, 'messages', { inboxId, body: 'Ping' });
		expect(added).toMatchObject({ status: 201, body: { inbound: true, inboxId, body: 'Ping' } });
		const list = await send(service, '/public/messages?limit=1');
		expect(list.body).toMatchObject({ total: 121, data: [added.body] });
		const unknown = { apiKey: seeded.empty.apiKey };
		expect((await control(service, 'messages', unknown)).status).toBe(404);
		await service.reset('data');
		expect((await send(service, '/public/messages?limit=1')).body).toMatchObject({ total: 120 });
	}));

test('runs by itself and stops on a signal', async () => {
	const main = join(import.meta.dirname, '../../sandbox/service/main.ts');
	const child = spawn(process.execPath, [main, '--port', '0', '--messages', '10']);
	const exit = once(child, 'exit');
	let output = '';
	for await (const chunk of child.stdout) {
		output += String(chunk);
		if (output.includes('__control/state')) break;
	}
	const url = /http:\S+/.exec(output)?.[0];
	expect(output).toContain(seeded.demo.apiKey);
	const response = await fetch(`${url}/verify-otp?token=${seeded.otpTokens.valid[0]}`);
	expect(await response.json()).toBe('verified');
	child.kill('SIGTERM');
	expect(await exit).toEqual([0, null]);
});
