import type { INodeProperties } from 'n8n-workflow';
import { Problem } from '../../../nodeError';
import { type Choice, dropdown, type PanelValues } from '../../panelValues';
import type { Verification } from '../verification';
import { ALGORITHMS, SHA256 } from './algorithms';
import { ENCODINGS, HEX } from './encodings';
import { KEY_AS_TEXT, KEY_FORMATS, readKey } from './keys';
import { READY_SCHEMES } from './schemes';
import { parseTemplate } from './signedContent';
import { reasonToRefuse, type Scheme } from './verifier';

interface Separator extends Choice {
	/** The text itself; empty when the header is not divided. */
	text: string;
}

const NO_SEPARATOR = 'none';

const SEPARATORS: Separator[] = [
	{ name: 'Comma', value: 'comma', text: ',' },
	{ name: 'None', value: NO_SEPARATOR, text: '' },
	{ name: 'Semicolon', value: 'semicolon', text: ';' },
	{ name: 'Space', value: 'space', text: ' ' },
];

const CUSTOM: Choice = {
	name: 'Custom',
	value: 'custom',
	description: 'Any other way: enter what the documentation of your service says',
};

const scheme = dropdown(
	{
		displayName: 'Scheme',
		name: 'scheme',
		default: CUSTOM.value,
		description: 'How your service signs. Many services sign in the way of a well-known one.',
	},
	[CUSTOM, ...READY_SCHEMES].sort((a, b) => (a.name < b.name ? -1 : 1)),
);

const signatureHeader: INodeProperties = {
	displayName: 'Signature Header',
	name: 'signatureHeader',
	type: 'string',
	default: 'X-Signature',
	description: 'Header in which the service sends the signature',
	displayOptions: { show: { [scheme.field.name]: [CUSTOM.value] } },
};

const algorithm = dropdown(
	{
		displayName: 'Algorithm',
		name: 'algorithm',
		default: SHA256.value,
		description:
			'How the signature is made. With Ed25519 and ECDSA, the webhook secret of the credential is the public key of the service.',
	},
	ALGORITHMS,
);

const encoding = dropdown(
	{
		displayName: 'Encoding',
		name: 'encoding',
		default: HEX.value,
		description: 'How the signature is written in the header',
	},
	ENCODINGS,
);

const keyFormat = dropdown(
	{
		displayName: 'Key Format',
		name: 'keyFormat',
		default: KEY_AS_TEXT.value,
		description:
			'How the webhook secret is written in the credential. As Base64 or hexadecimal, "whsec_" and "whpk_" at its beginning are taken off; as text, it is used as it is.',
	},
	KEY_FORMATS,
);

const separator = dropdown(
	{
		displayName: 'Separator',
		name: 'separator',
		default: NO_SEPARATOR,
		description:
			'What divides the header into parts. Each part that begins with the prefix is a signature, and one of the first ten has to be right.',
	},
	SEPARATORS,
);

const FIELDS = {
	algorithm: algorithm.field,
	encoding: encoding.field,
	keyFormat: keyFormat.field,
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
			'Address that the service calls, without a query, if it is not the one that n8n shows, as behind a proxy. It matters only to signatures that are made of the address.',
	},
	separator: separator.field,
	signedContent: {
		displayName: 'Signed Content',
		name: 'signedContent',
		type: 'string',
		default: '{body}',
		placeholder: 'e.g. {timestamp}.{body}',
		description:
			'What the signature is made of. Placeholders: {body}, {timestamp}, {ID} of the header Webhook-Id, {method}, {url}, {path}, {query}, {query:name}, {header:Name}, {fields} of a form, {sha256:body}, and \\n for a line break.',
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

/** The schemes for which a member of the collection is shown. */
function schemesWith(name: string): string[] {
	const ready = READY_SCHEMES.filter(({ settings }) => settings.some((each) => each === name));
	return [CUSTOM, ...ready].map(({ value }) => value);
}

const settings: INodeProperties = {
	displayName: 'Signature Settings',
	name: 'signature',
	type: 'collection',
	placeholder: 'Add setting',
	default: {},
	options: Object.values(FIELDS).map((field) => ({
		...field,
		displayOptions: { show: { [`/${scheme.field.name}`]: schemesWith(field.name) } },
	})),
	displayOptions: {
		show: {
			[scheme.field.name]: [
				CUSTOM,
				...READY_SCHEMES.filter((each) => each.settings.length > 0),
			].map(({ value }) => value),
		},
	},
};

/** How the service signs. */
export const signatureFields: INodeProperties[] = [scheme.field, signatureHeader, settings];

/**
 * Reads how calls are signed.
 *
 * @throws {Problem} when a setting cannot be used, or when a signature would fit any body, or never fit.
 */
export function readSignature(values: PanelValues): Verification {
	const read = readScheme(values);
	return {
		needsBody: true,
		problemWith: (secret) => {
			const { algorithm: made, keyFormat: format } = read.signing(secret);
			const result = readKey(secret, made, format);
			return 'problem' in result ? result.problem : undefined;
		},
		refusal: (call, secrets, now) => reasonToRefuse(read, call, secrets, now),
	};
}

function readScheme(values: PanelValues): Scheme {
	const members = values.collection(settings);
	const chosen = values.choice(scheme);
	const ready = READY_SCHEMES.find(({ value }) => value === chosen.value);
	const common = {
		tolerance: readTolerance(members),
		publicUrl: readPublicUrl(members),
	};
	return ready ? { ...ready.scheme, ...common } : { ...readCustom(values, members), ...common };
}

function readCustom(
	values: PanelValues,
	members: PanelValues,
): Omit<Scheme, 'tolerance' | 'publicUrl'> {
	const signing = {
		algorithm: members.choice(algorithm),
		keyFormat: members.choice(keyFormat),
		prefix: members.text(FIELDS.prefix),
	};
	checkKeyFormat(signing);
	const divider = members.choice(separator).text;
	const time = readTime(members, divider);
	return {
		signatureHeaders: [values.text(signatureHeader)],
		separator: divider,
		encoding: members.choice(encoding),
		signing: () => signing,
		signedContent: readSignedContent(members, time),
		time,
		isCustom: true,
	};
}

function readSignedContent(members: PanelValues, time: Scheme['time']): Scheme['signedContent'] {
	const template = parseTemplate(members.text(FIELDS.signedContent));
	if (!template.coversBody) {
		throw new Problem(
			'"Signed Content" does not cover the body: {body}, {fields} or {sha256:body} is missing',
			'A signature that is not made of the body would let in any body. Enter the placeholder where the body stands in what your service signs. If the service does not sign the body, choose another way to verify its calls.',
		);
	}
	if (template.needsTimestamp && !time) {
		throw new Problem(
			'"Timestamp Header" is missing',
			'"Signed Content" contains {timestamp}, so enter the header in which your service sends the time. If the time is a part of the signature header, enter "Timestamp Prefix" instead.',
		);
	}
	return template;
}

function readTime(members: PanelValues, divider: string): Scheme['time'] {
	const header = members.text(FIELDS.timestampHeader);
	const prefix = members.text(FIELDS.timestampPrefix);
	if (header !== '' && prefix !== '') {
		throw new Problem(
			'Both "Timestamp Header" and "Timestamp Prefix" are set',
			'Keep the header if your service sends the time in a header of its own, or the prefix if the time is a part of the signature header.',
		);
	}
	if (prefix !== '' && divider === '') {
		throw new Problem(
			'"Timestamp Prefix" needs a "Separator"',
			'Choose what stands between the time and the signature in the header.',
		);
	}
	if (header !== '') return { headers: [header] };
	return prefix === '' ? undefined : { prefix };
}

function checkKeyFormat({ algorithm: made, keyFormat: format }: ReturnType<Scheme['signing']>) {
	if (format.isPublic === undefined || format.isPublic === made.isPublic) return;
	const fitting = KEY_FORMATS.filter(({ isPublic }) => isPublic !== format.isPublic)
		.map(({ name }) => name)
		.join(', ');
	throw new Problem(
		`"Key Format" cannot be ${format.name} for ${made.name}`,
		`${made.name} verifies with ${made.isPublic ? 'a public key' : 'a secret'}. Choose one of these: ${fitting}.`,
	);
}

function readTolerance(members: PanelValues): number {
	const tolerance = members.number(FIELDS.tolerance);
	if (tolerance >= 1) return tolerance;
	throw new Problem(
		`"Tolerance" is ${tolerance}`,
		'Enter how many seconds the time of a call may be in the past or in the future, at least 1.',
	);
}

function readPublicUrl(members: PanelValues): string | undefined {
	const address = members.text(FIELDS.publicUrl);
	if (address === '') return undefined;
	if (/^https?:\/\/[^/?#\s]+[^?#\s]*$/i.test(address)) return address;
	throw new Problem(
		`"Public URL" cannot be used: ${address}`,
		'Enter the whole address that the service calls, such as https://hooks.example.com/messages, without a query.',
	);
}
