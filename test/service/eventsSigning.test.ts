import { createHmac } from 'node:crypto';

import type { EventSettingsPatch } from '../../sandbox/service/service.ts';
import { withReceiver } from './events.ts';
import type { Received } from './receiver.ts';

type Signing = EventSettingsPatch['signing'];
type Misbehaviour = EventSettingsPatch['misbehaviour'];

const secret = 'a secret';

/** What a receiver gets with these settings. */
async function receive(signing: Signing, misbehaviour?: Misbehaviour): Promise<Received> {
	const calls: Received[] = [];
	await withReceiver({ events: { signing, misbehaviour } }, async (service, { received }) => {
		service.receiveMessage({ body: 'Grüße 👍 {timestamp}' });
		await service.deliveriesSettled();
		calls.push(...received);
	});
	const [call] = calls;
	if (call === undefined) throw new Error('Nothing was received');
	return call;
}

const hmac = (text: string, algorithm = 'sha256', key: string | Buffer = secret) =>
	createHmac(algorithm, key).update(text);

test('unsigned', async () => {
	const { headers, query } = await receive({ kind: 'none', timestampHeader: 'X-Time' });
	const names = ['content-type', 'content-length', 'host', 'connection'];
	expect(Object.keys(headers).sort()).toEqual(names.sort());
	expect(query.size).toBe(0);
});

test('with a shared secret', async () => {
	const header = await receive({ kind: 'sharedSecret', secret });
	expect(header.headers['x-webhook-secret']).toBe(secret);
	const named = { kind: 'sharedSecret', secret, sharedSecretName: 'token' } as const;
	const query = await receive({ ...named, sharedSecretIn: 'query' });
	expect(query.query.get('token')).toBe(secret);
	expect(query.headers).not.toHaveProperty('token');
	const bearer = { ...named, sharedSecretName: 'Authorization', prefix: 'Bearer ' };
	expect((await receive(bearer)).headers.authorization).toBe('Bearer a secret');
});

test.each(['sha1', 'sha256', 'sha512'] as const)('with %s', async (algorithm) => {
	const { headers, text } = await receive({ kind: 'hmac', secret, algorithm });
	expect(headers['x-signature']).toBe(hmac(text, algorithm).digest('hex'));
});

test('in other forms', async () => {
	const key = Buffer.from('00ff10', 'hex');
	const { headers, text } = await receive({
		kind: 'hmac',
		secret: '00ff10',
		secretEncoding: 'hex',
		encoding: 'base64',
		signatureHeader: 'X-Hub-Signature',
		prefix: 'sha256=',
	});
	const signature = hmac(text, 'sha256', key).digest('base64');
	expect(headers['x-hub-signature']).toBe(`sha256=${signature}`);
});

test('with a timestamp', async () => {
	const signing = { kind: 'hmac', secret, timestampHeader: 'X-Time' } as const;
	const usual = await receive(signing);
	const time = String(usual.headers['x-time']);
	expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60);
	expect(usual.headers['x-signature']).toBe(hmac(`${time}.${usual.text}`).digest('hex'));

	const other = await receive({ ...signing, template: 'v0:{timestamp}:{body}' });
	const signed = `v0:${other.headers['x-time']}:${other.text}`;
	expect(other.headers['x-signature']).toBe(hmac(signed).digest('hex'));

	const unsigned = await receive({ ...signing, template: '{body}' });
	expect(unsigned.headers['x-signature']).toBe(hmac(unsigned.text).digest('hex'));
});

test.each([
	['unixMilliseconds', /^\d{13}$/],
	['iso', /^\d{4}-\d\d-\d\dT.*Z$/],
] as const)('with a timestamp in the format %s', async (timestampFormat, form) => {
	const signing = { kind: 'hmac', secret, timestampHeader: 'X-Time', timestampFormat } as const;
	const { headers, text } = await receive(signing);
	expect(headers['x-time']).toMatch(form);
	expect(headers['x-signature']).toBe(hmac(`${headers['x-time']}.${text}`).digest('hex'));
});

test('wrongly, not at all, or long ago', async () => {
	const signing = { kind: 'hmac', secret, timestampHeader: 'X-Time' } as const;
	const right = ({ headers, text }: Received) => hmac(`${headers['x-time']}.${text}`).digest('hex');

	const wrong = await receive(signing, { signature: 'wrong' });
	expect(wrong.headers['x-signature']).toMatch(/^[\da-f]{64}$/);
	expect(wrong.headers['x-signature']).not.toBe(right(wrong));

	const missing = await receive(signing, { signature: 'missing' });
	expect(missing.headers).not.toHaveProperty('x-signature');

	const old = await receive(signing, { timestampAgeS: 3600 });
	expect(Date.now() / 1000 - Number(old.headers['x-time'])).toBeGreaterThan(3500);
	expect(old.headers['x-signature']).toBe(right(old));

	const shared = await receive({ kind: 'sharedSecret', secret }, { signature: 'wrong' });
	expect(shared.headers['x-webhook-secret']).toBe(`not-${secret}`);
});

test('in another way while running, and with the secret of the subscription', () =>
	withReceiver({}, async (service, { url, received }) => {
		await service.configure({
			events: { signing: { kind: 'sharedSecret', secret }, subscriptions: [{ url }] },
		});
		service.receiveMessage();
		await service.deliveriesSettled();
		await service.configure({ events: { subscriptions: [{ url, secret: 'of its own' }] } });
		service.receiveMessage();
		await service.deliveriesSettled();
		expect(received.map(({ headers }) => headers['x-webhook-secret'])).toEqual([
			secret,
			'of its own',
		]);
	}));
