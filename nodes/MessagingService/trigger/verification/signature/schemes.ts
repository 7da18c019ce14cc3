import type { Choice } from '../../panelValues';
import { ED25519, SHA1, SHA256 } from './algorithms';
import { BASE64, HEX } from './encodings';
import { KEY_AS_BASE64, KEY_AS_TEXT } from './keys';
import { parseTemplate } from './signedContent';
import type { Scheme, Signing } from './verifier';

/** A scheme that needs nothing but the secret. */
interface ReadyScheme extends Choice {
	scheme: Omit<Scheme, Setting>;
	/** What can be set all the same. */
	settings: Setting[];
}

type Setting = 'tolerance' | 'publicUrl';

const hmacText = (prefix: string, algorithm = SHA256): Scheme['signing'] => {
	const signing = { algorithm, keyFormat: KEY_AS_TEXT, prefix };
	return () => signing;
};

const V1: Signing = { algorithm: SHA256, keyFormat: KEY_AS_BASE64, prefix: 'v1,' };
const V1A: Signing = { algorithm: ED25519, keyFormat: KEY_AS_BASE64, prefix: 'v1a,' };

/** The schemes of well-known services, which others use as well. */
export const READY_SCHEMES: ReadyScheme[] = [
	{
		name: 'GitHub',
		value: 'github',
		description: 'X-Hub-Signature-256, also used by Meta and many others',
		settings: [],
		scheme: {
			signatureHeaders: ['X-Hub-Signature-256'],
			separator: '',
			encoding: HEX,
			signing: hmacText('sha256='),
			signedContent: parseTemplate('{body}'),
		},
	},
	{
		name: 'Slack',
		value: 'slack',
		description: 'X-Slack-Signature',
		settings: ['tolerance'],
		scheme: {
			signatureHeaders: ['X-Slack-Signature'],
			separator: '',
			encoding: HEX,
			signing: hmacText('v0='),
			signedContent: parseTemplate('v0:{timestamp}:{body}'),
			time: { headers: ['X-Slack-Request-Timestamp'] },
		},
	},
	{
		name: 'Standard Webhooks',
		value: 'standardWebhooks',
		description:
			'Webhook-Signature, used by Svix and many others. The secret begins with whsec_ or whpk_.',
		settings: ['tolerance'],
		scheme: {
			signatureHeaders: ['webhook-signature', 'svix-signature'],
			separator: ' ',
			encoding: BASE64,
			signing: (secret) => (secret.startsWith('whpk_') ? V1A : V1),
			signedContent: parseTemplate('{id}.{timestamp}.{body}'),
			time: { headers: ['webhook-timestamp', 'svix-timestamp'] },
		},
	},
	{
		name: 'Stripe',
		value: 'stripe',
		description: 'Stripe-Signature',
		settings: ['tolerance'],
		scheme: {
			signatureHeaders: ['Stripe-Signature'],
			separator: ',',
			encoding: HEX,
			signing: hmacText('v1='),
			signedContent: parseTemplate('{timestamp}.{body}'),
			time: { prefix: 't=' },
		},
	},
	{
		name: 'Twilio',
		value: 'twilio',
		description: 'X-Twilio-Signature. The secret is the auth token.',
		settings: ['publicUrl'],
		scheme: {
			signatureHeaders: ['X-Twilio-Signature'],
			separator: '',
			encoding: BASE64,
			signing: hmacText('', SHA1),
			signedContent: parseTemplate('{url}{fields}'),
			spellings: withAndWithoutPort,
		},
	},
];

/** Twilio signs some addresses without the port that they have, and some with one that they do not have. */
function withAndWithoutPort(url: string): string[] {
	const origin = /^(https?:\/\/[^/?#]*?)(:\d+)?(?=[/?#]|$)/i;
	const usualPort = /^https/i.test(url) ? ':443' : ':80';
	return [
		url.replace(origin, '$1'),
		url.replace(origin, (_, host: string, port = usualPort) => host + port),
	];
}
