import type { IDataObject } from 'n8n-workflow';
import { collection, dropdown, type Field, type NumberField } from '../../panel/field';
import { PLACEHOLDERS } from './signedContent';

const CUSTOM = 'custom';

export const schemeField = dropdown({
	displayName: 'Scheme',
	name: 'scheme',
	default: CUSTOM,
	description: 'How your service signs',
	displayOptions: { show: { verification: ['signature'] } },
	options: [
		{
			name: 'Custom',
			value: CUSTOM,
			description: 'Enter below what the documentation of your service says',
		},
		{
			name: 'Standard Webhooks',
			value: 'standardWebhooks',
			description: 'For services that send a header webhook-signature or svix-signature',
		},
	],
});

/** The settings of Standard Webhooks, which "Custom" leaves to the user. */
export const STANDARD_WEBHOOKS: IDataObject = {
	signatureHeader: 'webhook-signature',
	signature: {
		separator: 'space',
		prefix: 'v1,',
		encoding: 'base64',
		keyFormat: 'base64',
		signedContent: '{id}.{timestamp}.{body}',
		timestampHeader: 'webhook-timestamp',
	},
};

const whenCustom = {
	displayOptions: { show: { verification: ['signature'], [schemeField.name]: [CUSTOM] } },
};

export const signatureHeaderField: Field = {
	displayName: 'Signature Header',
	name: 'signatureHeader',
	type: 'string',
	default: 'X-Signature',
	description: 'Header in which the service sends the signature',
	hint: 'The signature is a hexadecimal HMAC SHA-256 of the body, unless the settings below say otherwise',
	...whenCustom,
};

/** The hash functions of an HMAC. */
const ALGORITHMS = [
	{ name: 'HMAC SHA-1', value: 'sha1' },
	{ name: 'HMAC SHA-256', value: 'sha256' },
	{ name: 'HMAC SHA-512', value: 'sha512' },
] as const;

const BASE64 = { name: 'Base64', value: 'base64' } as const;
const HEX = { name: 'Hexadecimal', value: 'hex' } as const;
/** How signatures are written. */
const ENCODINGS = [BASE64, HEX];
/** How the webhook secret of the credential is written. */
const KEY_FORMATS = [BASE64, HEX, { name: 'Text', value: 'text' } as const];

/** What may stand between the parts of a signature header. */
export const SEPARATORS = { comma: ',', none: '', semicolon: ';', space: ' ' };

/** The settings of a signature, in the order of the panel. */
export const SETTINGS = {
	algorithm: dropdown({
		displayName: 'Algorithm',
		name: 'algorithm',
		default: 'sha256',
		description: 'How the signature is made',
		options: ALGORITHMS,
	}),
	encoding: dropdown({
		displayName: 'Encoding',
		name: 'encoding',
		default: 'hex',
		description: 'How the signature is written in the header',
		options: ENCODINGS,
	}),
	keyFormat: dropdown({
		displayName: 'Key Format',
		name: 'keyFormat',
		default: 'text',
		description:
			'How the webhook secret is written in the credential. As Base64 or hexadecimal, "whsec_" at its beginning is taken off.',
		options: KEY_FORMATS,
	}),
	prefix: {
		displayName: 'Prefix',
		name: 'prefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. sha256=',
		description: 'What stands before the signature in the header',
	} satisfies Field,
	separator: dropdown({
		displayName: 'Separator',
		name: 'separator',
		default: 'none',
		description:
			'What separates the parts of the header, if it has several. Each part that begins with the prefix is a signature.',
		options: [
			{ name: 'Comma', value: 'comma' },
			{ name: 'None', value: 'none' },
			{ name: 'Semicolon', value: 'semicolon' },
			{ name: 'Space', value: 'space' },
		],
	}),
	signedContent: {
		displayName: 'Signed Content',
		name: 'signedContent',
		type: 'string',
		default: '{body}',
		placeholder: 'e.g. {timestamp}.{body}',
		description: `What the signature is made of, with placeholders: ${PLACEHOLDERS}. \\n is a line break.`,
	} satisfies Field,
	timestampHeader: {
		displayName: 'Timestamp Header',
		name: 'timestampHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Timestamp',
		description:
			'Header that says when the call was sent, for {timestamp} in "Signed Content". Old calls are refused.',
	} satisfies Field,
	timestampPrefix: {
		displayName: 'Timestamp Prefix',
		name: 'timestampPrefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. t=',
		description:
			'What stands before the time, if it is a part of the signature header instead of a header of its own',
	} satisfies Field,
	tolerance: {
		displayName: 'Tolerance',
		name: 'tolerance',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description: 'How many seconds the time of a call may be in the past or in the future',
	} satisfies NumberField,
};

export const signatureSettingsField = collection({
	displayName: 'Signature Settings',
	name: 'signature',
	placeholder: 'Add setting',
	description: 'What the documentation of your service says about its signatures',
	options: Object.values(SETTINGS),
	...whenCustom,
});

export const signatureFields: Field[] = [schemeField, signatureHeaderField, signatureSettingsField];
