import type { Choice } from '../../dropdown';

/** A way to write bytes as text. */
export interface Encoding extends Choice {
	/** The bytes that a text stands for; undefined when it is not written so. */
	decode(text: string): Buffer | undefined;
}

/** In either alphabet (RFC 4648, sections 4 and 5), padded or not. */
const BASE64: Encoding = {
	name: 'Base64',
	value: 'base64',
	decode: (text) =>
		decodeExactly(
			text
				.replace(/={1,2}$/, '')
				.replaceAll('+', '-')
				.replaceAll('/', '_'),
			'base64url',
		),
};

const HEX: Encoding = {
	name: 'Hexadecimal',
	value: 'hex',
	decode: (text) => decodeExactly(text.toLowerCase(), 'hex'),
};

/** How signatures are written. */
export const ENCODINGS: Encoding[] = [BASE64, HEX];

/** What the secrets and the public keys of Standard Webhooks begin with. */
const SECRET_MARK = 'whsec_';
export const PUBLIC_MARK = 'whpk_';

/** How the webhook secret of the credential is written. */
export const KEY_FORMATS: Encoding[] = [
	{ ...BASE64, decode: (text) => decodeKey(withoutMark(text)) },
	{ ...HEX, decode: (text) => HEX.decode(withoutMark(text)) },
	{ name: 'Text', value: 'text', decode: (text) => Buffer.from(text) },
];

/** Base64 in one alphabet only: a secret with "_" is a text, of which the other one would make another key. */
function decodeKey(text: string): Buffer | undefined {
	const digits = text.replace(/={1,2}$/, '');
	const isBase64 = /^[A-Za-z\d+/]{2,}$/.test(digits) && digits.length % 4 !== 1;
	return isBase64 ? Buffer.from(digits, 'base64') : undefined;
}

/** A public key as PEM (RFC 7468). A field of one line takes away its line breaks, or makes blanks of them. */
export function decodePem(text: string): Buffer | undefined {
	const [, content] =
		/^-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----$/.exec(text) ?? [];
	return content === undefined ? undefined : decodeKey(content.replace(/\s|\\[nr]/g, ''));
}

function withoutMark(secret: string): string {
	const mark = [SECRET_MARK, PUBLIC_MARK].find((each) => secret.startsWith(each)) ?? '';
	return secret.slice(mark.length);
}

// Node.js decodes any text as far as it can, down to nothing.
function decodeExactly(text: string, encoding: 'base64url' | 'hex'): Buffer | undefined {
	const bytes = Buffer.from(text, encoding);
	return text !== '' && bytes.toString(encoding) === text ? bytes : undefined;
}
