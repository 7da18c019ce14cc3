import type { INodeProperties } from 'n8n-workflow';
import { Problem } from '../../nodeError';
import { dropdown, type PanelValues } from '../panelValues';
import { ALGORITHMS, ENCODINGS, KEY_FORMATS } from './algorithms';
import type { Call, Verification } from './verification';

const header: INodeProperties = {
	displayName: 'Signature Header',
	name: 'signatureHeader',
	type: 'string',
	default: 'X-Signature',
	description: 'Header in which the service sends the signature',
};

const algorithm = dropdown(
	{
		displayName: 'Algorithm',
		name: 'algorithm',
		default: 'sha256',
		description: 'Hash function of the signature',
	},
	ALGORITHMS,
);

const encoding = dropdown(
	{
		displayName: 'Encoding',
		name: 'encoding',
		default: 'hex',
		description: 'How the signature is written',
	},
	ENCODINGS,
);

const keyFormat = dropdown(
	{
		displayName: 'Secret Encoding',
		name: 'secretEncoding',
		default: 'utf8',
		description: 'How the webhook secret of the credential is to be read',
	},
	KEY_FORMATS,
);

const FIELDS = {
	algorithm: algorithm.field,
	encoding: encoding.field,
	prefix: {
		displayName: 'Prefix',
		name: 'prefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. sha256=',
		description: 'What stands before the signature in the header',
	},
	keyFormat: keyFormat.field,
	signedContent: {
		displayName: 'Signed Content',
		name: 'signedContent',
		type: 'string',
		default: '{body}',
		placeholder: 'e.g. {timestamp}.{body}',
		description:
			'What the signature is made of: {body} stands for the body, {timestamp} for the content of the timestamp header',
	},
	timestampHeader: {
		displayName: 'Timestamp Header',
		name: 'timestampHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Timestamp',
		description:
			'Header that says when the call was sent. With it, old calls are refused. It protects fully only if the signature is made of it too.',
	},
	tolerance: {
		displayName: 'Tolerance',
		name: 'tolerance',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description: 'How many seconds old a call may be, by the timestamp header',
	},
} satisfies Record<string, INodeProperties>;

const format: INodeProperties = {
	displayName: 'Signature Format',
	name: 'signature',
	type: 'collection',
	placeholder: 'Add setting',
	default: {},
	description: 'How the service signs. The documentation of its webhooks says so.',
	options: Object.values(FIELDS),
};

/** How the service signs. */
export const signatureFields: INodeProperties[] = [header, format];

/** How a service signs its calls. */
type Scheme = ReturnType<typeof readScheme>;

function readScheme(values: PanelValues) {
	const members = values.collection(format);
	return {
		header: values.text(header),
		algorithm: members.choice(algorithm),
		encoding: members.choice(encoding),
		prefix: members.text(FIELDS.prefix),
		keyFormat: members.choice(keyFormat),
		signedContent: members.text(FIELDS.signedContent),
		/** Empty when there is none. */
		timestampHeader: members.text(FIELDS.timestampHeader),
		/** Seconds that a call may be old, or ahead of our clock. */
		tolerance: members.number(FIELDS.tolerance),
	};
}

/**
 * Reads how calls are signed.
 *
 * @throws {Problem} when a choice is unknown, or when a signature would fit any body, or never fit.
 */
export function readSignature(values: PanelValues): Verification {
	const scheme = readScheme(values);
	if (!scheme.signedContent.includes('{body}')) {
		throw new Problem(
			'"Signed Content" does not contain {body}',
			'A signature that is not made of the body would let in any body. Enter {body} where the body stands in what your service signs.',
		);
	}
	if (scheme.signedContent.includes('{timestamp}') && scheme.timestampHeader === '') {
		throw new Problem(
			'"Timestamp Header" is missing',
			'"Signed Content" contains {timestamp}, so enter the header in which your service sends the time.',
		);
	}
	return {
		needsBody: true,
		problemWith: (secret) => (scheme.keyFormat.decode(secret) ? undefined : unreadableSecret()),
		refusal: (call, secret, now) => refusal(scheme, call, secret, now),
	};
}

function unreadableSecret(): Problem {
	return new Problem(
		'The webhook secret is not written as "Secret Encoding" says',
		'The webhook secret of the credential is to be hexadecimal or Base64, and it is not. Choose "As It Is", or check the secret in the credential.',
	);
}

function refusal(
	scheme: Scheme,
	{ headers, rawBody }: Call,
	secret: string,
	now: number,
): string | undefined {
	const given = headers[scheme.header.toLowerCase()];
	if (typeof given !== 'string' || given === '') return `no header "${scheme.header}"`;
	if (!rawBody) return 'the body cannot be verified';
	const timestamp = headers[scheme.timestampHeader.toLowerCase()];
	if (scheme.timestampHeader !== '') {
		const age = Math.abs(now - readTimestamp(timestamp)) / 1_000;
		if (Number.isNaN(age)) return `no time in the header "${scheme.timestampHeader}"`;
		if (age > scheme.tolerance) return 'too old, or ahead of time';
	}
	if (!given.startsWith(scheme.prefix)) {
		return `the header "${scheme.header}" does not begin with "${scheme.prefix}"`;
	}
	const signature = scheme.encoding.decode(given.slice(scheme.prefix.length).trim());
	const key = scheme.keyFormat.decode(secret);
	const placeholders = new Map<string, string | Uint8Array>([
		['{body}', rawBody],
		['{timestamp}', String(timestamp ?? '')],
	]);
	const content = scheme.signedContent
		.split(/(\{\w+\})/)
		.map((part) => placeholders.get(part) ?? part);
	const isRight = signature && key && scheme.algorithm.accepts(signature, key, content);
	return isRight ? undefined : 'wrong signature';
}

/** Milliseconds since 1970, from seconds, milliseconds or a date; NaN for anything else. */
function readTimestamp(value: string | string[] | undefined): number {
	if (typeof value !== 'string' || value.trim() === '') return NaN;
	if (!/^\d+(\.\d+)?$/.test(value.trim())) return Date.parse(value);
	const number = Number(value);
	return number < 100_000_000_000 ? number * 1_000 : number;
}
