import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { type Choice, dropdown } from '../../dropdown';
import { PLACEHOLDER_LIST } from './content';
import { type Algorithm, ALGORITHMS, ED25519, ENCODINGS, KEY_FORMATS } from './keys';

/** A signature scheme. */
interface SchemeChoice extends Choice {
	/** The settings of the scheme; undefined for the custom scheme, where the user enters them. */
	preset?: IDataObject;
	/** What changes if the credential holds a public key of Standard Webhooks. */
	withPublicKey?: { algorithm: Algorithm; prefix: string };
	/** The settings that the user can still adjust. */
	adjustable: Array<'tolerance' | 'publicUrl'>;
}

const CUSTOM = 'custom';

/** The schemes of well-known services, which others use as well, and the custom one. */
export const SCHEMES: SchemeChoice[] = [
	{
		name: 'GitHub',
		value: 'github',
		description: 'X-Hub-Signature-256, also used by Meta and many others',
		preset: { signatureHeader: 'X-Hub-Signature-256', prefix: 'sha256=' },
		adjustable: [],
	},
	{
		name: 'Slack',
		value: 'slack',
		description: 'X-Slack-Signature',
		preset: {
			signatureHeader: 'X-Slack-Signature',
			prefix: 'v0=',
			timestampHeader: 'X-Slack-Request-Timestamp',
			signedContent: 'v0:{timestamp}:{body}',
		},
		adjustable: ['tolerance'],
	},
	{
		name: 'Standard Webhooks',
		value: 'standardWebhooks',
		description:
			'Webhook-Signature, used by Svix and many others. The secret begins with whsec_ or whpk_.',
		preset: {
			signatureHeader: 'webhook-signature, svix-signature',
			separator: 'space',
			prefix: 'v1,',
			encoding: 'base64',
			keyFormat: 'base64',
			timestampHeader: 'webhook-timestamp, svix-timestamp',
			signedContent: '{id}.{timestamp}.{body}',
		},
		withPublicKey: { algorithm: ED25519, prefix: 'v1a,' },
		adjustable: ['tolerance'],
	},
	{
		name: 'Stripe',
		value: 'stripe',
		description: 'Stripe-Signature',
		preset: {
			signatureHeader: 'Stripe-Signature',
			separator: 'comma',
			prefix: 'v1=',
			timestampPrefix: 't=',
			signedContent: '{timestamp}.{body}',
		},
		adjustable: ['tolerance'],
	},
	{
		name: 'Twilio',
		value: 'twilio',
		description: 'X-Twilio-Signature. The secret is the auth token.',
		preset: {
			signatureHeader: 'X-Twilio-Signature',
			algorithm: 'sha1',
			encoding: 'base64',
			signedContent: '{url}{fields}',
		},
		adjustable: ['publicUrl'],
	},
	{
		name: 'Custom',
		value: CUSTOM,
		description: 'Any other way: enter what the documentation of your service says',
		adjustable: ['tolerance', 'publicUrl'],
	},
];

export const schemeField = dropdown({
	displayName: 'Scheme',
	name: 'scheme',
	default: CUSTOM,
	description: 'How your service signs. Many services use the scheme of a well-known one.',
	displayOptions: { show: { verification: ['signature'] } },
	entries: SCHEMES,
});

export const signatureHeaderField: INodeProperties = {
	displayName: 'Signature Header',
	name: 'signatureHeader',
	type: 'string',
	default: 'X-Signature',
	description: 'Header in which the service sends the signature',
	hint: 'The signature is a hexadecimal HMAC SHA-256 of the body, unless the settings below say otherwise',
	displayOptions: { show: { verification: ['signature'], [schemeField.name]: [CUSTOM] } },
};

export const SEPARATORS = [
	{ name: 'Comma', value: 'comma', text: ',' },
	{ name: 'None', value: 'none', text: '' },
	{ name: 'Semicolon', value: 'semicolon', text: ';' },
	{ name: 'Space', value: 'space', text: ' ' },
];

/** The members of the collection, in the order of the panel. */
export const MEMBERS = {
	algorithm: dropdown({
		displayName: 'Algorithm',
		name: 'algorithm',
		default: 'sha256',
		description:
			'How the signature is made. With Ed25519 and ECDSA, the webhook secret of the credential is the public key of the service.',
		entries: ALGORITHMS,
	}),
	encoding: dropdown({
		displayName: 'Encoding',
		name: 'encoding',
		default: 'hex',
		description: 'How the signature is written in the header',
		entries: ENCODINGS,
	}),
	keyFormat: dropdown({
		displayName: 'Key Format',
		name: 'keyFormat',
		default: 'text',
		description:
			'How the webhook secret is written in the credential. As Base64 or hexadecimal, "whsec_" or "whpk_" at its beginning is taken off. A public key may be PEM or Base64, whatever is chosen here.',
		entries: KEY_FORMATS,
	}),
	prefix: {
		displayName: 'Prefix',
		name: 'prefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. sha256=',
		description: 'What stands before the signature in the header',
	},
	publicUrl: {
		displayName: 'Public URL',
		name: 'publicUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://hooks.example.com/messages',
		description:
			'Address that the service calls, without a query, if it is not the one that n8n shows, as behind a proxy. Only for signatures that are made of the address.',
	},
	separator: dropdown({
		displayName: 'Separator',
		name: 'separator',
		default: 'none',
		description:
			'What separates the parts of the header, if it has several. Each part that begins with the prefix is a signature.',
		entries: SEPARATORS,
	}),
	signedContent: {
		displayName: 'Signed Content',
		name: 'signedContent',
		type: 'string',
		default: '{body}',
		placeholder: 'e.g. {timestamp}.{body}',
		description: `What the signature is made of, with placeholders: ${PLACEHOLDER_LIST}. \\n is a line break.`,
	},
	timestampHeader: {
		displayName: 'Timestamp Header',
		name: 'timestampHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Timestamp',
		description:
			'Header that says when the call was sent. Old calls are refused. This protects against replayed calls only if {timestamp} is part of "Signed Content".',
	},
	timestampPrefix: {
		displayName: 'Timestamp Prefix',
		name: 'timestampPrefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. t=',
		description:
			'What stands before the time, if it is a part of the signature header instead of a header of its own',
	},
	tolerance: {
		displayName: 'Tolerance',
		name: 'tolerance',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description: 'How many seconds the time of a call may be in the past or in the future',
	},
} satisfies Record<string, INodeProperties>;

/** The schemes that offer a setting. The custom scheme offers all of them. */
const schemesWith = (matches: (setting: string) => boolean) =>
	SCHEMES.filter(({ preset, adjustable }) => !preset || adjustable.some(matches)).map(
		({ value }) => value,
	);

/** The details of the signature: all of them for a custom scheme, otherwise only the adjustable ones. */
export const settingsField: INodeProperties = {
	displayName: 'Signature Settings',
	name: 'signature',
	type: 'collection',
	placeholder: 'Add setting',
	default: {},
	options: Object.values(MEMBERS).map((field) => ({
		...field,
		displayOptions: {
			show: { [`/${schemeField.name}`]: schemesWith((setting) => setting === field.name) },
		},
	})),
	displayOptions: {
		show: { verification: ['signature'], [schemeField.name]: schemesWith(() => true) },
	},
};

export const signatureFields: INodeProperties[] = [
	schemeField,
	signatureHeaderField,
	settingsField,
];
