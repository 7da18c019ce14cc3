/** Events signed by the client libraries of the services themselves, in a real n8n with a workflow for each scheme. */
import {
	createHash,
	createHmac,
	generateKeyPairSync,
	randomUUID,
	sign as signWith,
	type KeyObject,
} from 'node:crypto';

import { sign as signForGitHub } from '@octokit/webhooks-methods';
import type { INodeParameters } from 'n8n-workflow';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { outputs } from './events.ts';

jest.setTimeout(START_TIMEOUT_MS);

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ service: { messages: 0, agent: { enabled: false } } });
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

const JSON_TYPE = { 'content-type': 'application/json' };
const BODY = '{ "text" : "Grüße 👋", "id":1 }';

/** What a service sends. */
interface Signed {
	headers: Record<string, string>;
	body?: string;
	/** What follows the address. */
	query?: string;
}

/** A secret, or a pair of keys, of the service. */
interface Key {
	/** What the credential has. */
	webhookSecret: string;
	/** What the service signs with. */
	signing: string | KeyObject;
}

interface Service {
	service: string;
	parameters: INodeParameters;
	newKey(): Key;
	/** Signs an event; `at` is the time in seconds. */
	sign(key: Key, url: string, at: number): Signed | Promise<Signed>;
	isTimed?: boolean;
	/** What comes out of the trigger. */
	output?: object;
}

const text = (): Key => {
	const secret = randomUUID();
	return { webhookSecret: secret, signing: secret };
};

const standardSecret = (): Key => {
	const secret = `whsec_${Buffer.from(randomUUID()).toString('base64')}`;
	return { webhookSecret: secret, signing: secret };
};

const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();

function ed25519(write: (publicKey: KeyObject) => string): Key {
	const { publicKey, privateKey } = generateKeyPairSync('ed25519');
	return { webhookSecret: write(publicKey), signing: privateKey };
}

const rawKey = (key: KeyObject) =>
	Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url').toString('base64');

const signature = (scheme: string, settings: INodeParameters = {}): INodeParameters => ({
	verification: 'signature',
	scheme,
	signature: settings,
});

const custom = (signatureHeader: string, settings: INodeParameters): INodeParameters => ({
	...signature('custom', settings),
	signatureHeader,
});

const FORM = { From: '+15555550100', Body: 'Are you open?', Media: ['b', 'a'] };
const FORM_BODY = new URLSearchParams([
	['From', FORM.From],
	['Body', FORM.Body],
	...FORM.Media.map((value) => ['Media', value]),
]).toString();

/** Signs as Standard Webhooks, with what its headers begin with, and what stands before the signature. */
const signStandard =
	(name: 'webhook' | 'svix', before = ''): Service['sign'] =>
	({ signing }, _url, at) => {
		const signed = new Webhook(String(signing)).sign('msg_1', new Date(at * 1_000), BODY);
		return {
			headers: {
				...JSON_TYPE,
				[`${name}-id`]: 'msg_1',
				[`${name}-timestamp`]: String(at),
				[`${name}-signature`]: before + signed,
			},
		};
	};

const SERVICES: Service[] = [
	{
		service: 'GitHub',
		parameters: signature('github'),
		newKey: text,
		sign: async ({ signing }) => ({
			headers: { ...JSON_TYPE, 'x-hub-signature-256': await signForGitHub(String(signing), BODY) },
		}),
	},
	{
		service: 'Slack',
		parameters: signature('slack'),
		newKey: text,
		isTimed: true,
		// Slack's libraries only verify.
		sign: ({ signing }, _url, at) => ({
			headers: {
				...JSON_TYPE,
				'x-slack-request-timestamp': String(at),
				'x-slack-signature': `v0=${createHmac('sha256', signing).update(`v0:${at}:${BODY}`).digest('hex')}`,
			},
		}),
	},
	{
		service: 'Standard Webhooks',
		parameters: signature('standardWebhooks'),
		newKey: standardSecret,
		isTimed: true,
		sign: signStandard('webhook'),
	},
	{
		service: 'Standard Webhooks, as custom with a secret that begins with "whsec_"',
		parameters: custom('svix-signature', {
			encoding: 'base64',
			separator: 'space',
			prefix: 'v1,',
			signedContent: '{id}.{timestamp}.{body}',
			timestampHeader: 'svix-timestamp',
			keyFormat: 'base64',
		}),
		newKey: standardSecret,
		isTimed: true,
		sign: signStandard('svix', 'v1,AAAA '),
	},
	{
		service: 'Standard Webhooks with a public key',
		parameters: signature('standardWebhooks', { tolerance: 60 }),
		newKey: () => ed25519((key) => `whpk_${rawKey(key)}`),
		isTimed: true,
		// The library signs with secrets only.
		sign: ({ signing }, _url, at) => ({
			headers: {
				...JSON_TYPE,
				'webhook-id': 'msg_1',
				'webhook-timestamp': String(at),
				'webhook-signature': `v1a,${signWith(null, Buffer.from(`msg_1.${at}.${BODY}`), signing).toString('base64')}`,
			},
		}),
	},
	{
		service: 'Stripe',
		parameters: signature('stripe'),
		newKey: standardSecret,
		isTimed: true,
		sign: ({ signing }, _url, at) => ({
			headers: {
				...JSON_TYPE,
				'stripe-signature': Stripe.webhooks.generateTestHeaderString({
					payload: BODY,
					secret: String(signing),
					timestamp: at,
				}),
			},
		}),
	},
	{
		service: 'Twilio, a form',
		parameters: signature('twilio'),
		newKey: text,
		sign: ({ signing }, url) => ({
			headers: {
				'content-type': 'application/x-www-form-urlencoded',
				'x-twilio-signature': getExpectedTwilioSignature(String(signing), `${url}?a=1`, FORM),
			},
			body: FORM_BODY,
			query: '?a=1',
		}),
		output: FORM,
	},
	{
		service: 'Twilio, JSON',
		parameters: signature('twilio'),
		newKey: text,
		sign: ({ signing }, url) => {
			const query = `?bodySHA256=${createHash('sha256').update(BODY).digest('hex')}`;
			const signed = getExpectedTwilioSignature(String(signing), url + query, {});
			return { headers: { ...JSON_TYPE, 'x-twilio-signature': signed }, query };
		},
	},
	{
		service: 'Telnyx',
		parameters: custom('telnyx-signature-ed25519', {
			algorithm: 'ed25519',
			encoding: 'base64',
			keyFormat: 'base64',
			signedContent: '{timestamp}|{body}',
			timestampHeader: 'telnyx-timestamp',
		}),
		newKey: () => ed25519(rawKey),
		isTimed: true,
		sign: ({ signing }, _url, at) => ({
			headers: {
				...JSON_TYPE,
				'telnyx-timestamp': String(at),
				'telnyx-signature-ed25519': signWith(null, Buffer.from(`${at}|${BODY}`), signing).toString(
					'base64',
				),
			},
		}),
	},
	{
		service: 'SendGrid, with its key as PEM',
		parameters: custom('x-twilio-email-event-webhook-signature', {
			algorithm: 'ecdsaP256',
			encoding: 'base64',
			signedContent: '{timestamp}{body}',
			timestampHeader: 'x-twilio-email-event-webhook-timestamp',
		}),
		newKey: () => {
			const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
			// As a field of one line gives it.
			return { webhookSecret: pem(publicKey).replaceAll('\n', ''), signing: privateKey };
		},
		isTimed: true,
		sign: ({ signing }, _url, at) => ({
			headers: {
				...JSON_TYPE,
				'x-twilio-email-event-webhook-timestamp': String(at),
				'x-twilio-email-event-webhook-signature': signWith(
					'sha256',
					Buffer.from(at + BODY),
					signing,
				).toString('base64'),
			},
		}),
	},
];

const now = () => Math.floor(Date.now() / 1_000);

async function send(url: string, { headers, body = BODY, query = '' }: Signed): Promise<number> {
	const { status } = await fetch(url + query, { method: 'POST', body, headers });
	return status;
}

async function flowFor(parameters: INodeParameters, data: Record<string, string>): Promise<Flow> {
	const credentials = await sandbox.addCredential(data);
	return await sandbox.store([sandbox.trigger(parameters, { credentials })]);
}

test.each(SERVICES)(
	'$service: a signed event starts the workflow, an altered one does not',
	async ({ parameters, newKey, sign, isTimed, output = { text: 'Grüße 👋', id: 1 } }) => {
		const key = newKey();
		const flow = await flowFor(parameters, { webhookSecret: key.webhookSecret });
		await flow.activate();
		const right = await sign(key, flow.url, now());
		const { body = BODY, query = '' } = right;
		const altered: Record<string, Signed> = {
			'another body': { ...right, body: body.replace('o', '0').replace('ü', 'u') },
			'one more byte': { ...right, body: `${body} ` },
			'another key': await sign(newKey(), flow.url, now()),
		};
		if (isTimed) {
			altered['an old time'] = await sign(key, flow.url, now() - 400);
			altered['a time ahead'] = await sign(key, flow.url, now() + 400);
		}
		if (query !== '') altered['another query'] = { ...right, query: `${query}&b=2` };
		const sent = Object.entries(right.headers);
		for (const [name] of sent.filter(([each]) => each !== 'content-type')) {
			const headers = Object.fromEntries(sent.filter(([each]) => each !== name));
			altered[`no ${name}`] = { ...right, headers };
		}
		for (const [what, signed] of Object.entries(altered))
			expect({ what, status: await send(flow.url, signed) }).toEqual({ what, status: 401 });
		expect(await send(flow.url, right)).toBe(200);
		expect(await outputs(flow, 1)).toEqual([output]);
	},
);

test('the address for tests is verified as such', async () => {
	const key = text();
	const flow = await flowFor(signature('twilio'), { webhookSecret: key.webhookSecret });
	await flow.listen();
	const headers = {
		'content-type': 'application/x-www-form-urlencoded',
		'x-twilio-signature': getExpectedTwilioSignature(String(key.signing), flow.testUrl, FORM),
	};
	expect(await send(flow.testUrl, { headers, body: FORM_BODY })).toBe(200);
	expect(await outputs(flow, 1)).toEqual([FORM]);
});

test('the previous secret is accepted beside the new one', async () => {
	const secrets = { webhookSecret: 'a-new-secret', previousWebhookSecret: 'the-one-before' };
	const flow = await flowFor(signature('github'), secrets);
	await flow.activate();
	const sendWith = async (secret: string) => {
		// The same body twice would be a duplicate.
		const body = JSON.stringify({ secret });
		return await send(flow.url, {
			headers: { ...JSON_TYPE, 'x-hub-signature-256': await signForGitHub(secret, body) },
			body,
		});
	};
	expect(await sendWith('a-new-secret')).toBe(200);
	expect(await sendWith('the-one-before')).toBe(200);
	expect(await sendWith('an-older-one')).toBe(401);
	await outputs(flow, 2);
});
