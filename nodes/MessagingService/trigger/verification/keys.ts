import { Problem } from '../../n8n/problem';

export const SHA256 = { name: 'HMAC SHA-256', value: 'sha256' };
/** The hash functions of an HMAC. */
export const ALGORITHMS = [
	{ name: 'HMAC SHA-1', value: 'sha1' },
	SHA256,
	{ name: 'HMAC SHA-512', value: 'sha512' },
];

export const BASE64 = { name: 'Base64', value: 'base64' } as const;
const HEX = { name: 'Hexadecimal', value: 'hex' } as const;
/** How signatures are written. */
export const ENCODINGS = [BASE64, HEX];
/** How the webhook secret of the credential is written. */
export const KEY_FORMATS = [BASE64, HEX, { name: 'Text', value: 'text' } as const];

/**
 * Decodes a text; undefined if it is not valid in this encoding. Node.js would decode any text as far as it can, down
 * to an empty key, with which everybody could sign.
 */
export function decode(text: string, encoding: 'base64' | 'hex'): Buffer | undefined {
	const digits =
		encoding === 'hex' ? /^(?:[\da-f]{2})+$/i : /^(?:[a-z\d+/]{4})*[a-z\d+/]{2,4}={0,2}$/i;
	return digits.test(text) ? Buffer.from(text, encoding) : undefined;
}

/**
 * Reads a webhook secret as the key of an HMAC. Whatever stands for bytes may have the mark of Standard Webhooks before
 * it, also as their senders show it together with the version.
 *
 * @throws {Problem} when the secret is not written so.
 */
export function parseKey(
	secret: string,
	{ name, value: format }: (typeof KEY_FORMATS)[number],
): Buffer {
	if (format === 'text') return Buffer.from(secret);
	const key = decode(secret.replace(/^(?:v1,)?whsec_/, ''), format);
	if (key) return key;
	throw new Problem(
		`The webhook secret in the credential is not written as ${name}: enter the one that your service gives you`,
		'Copy it from your service again, from its first character to its last, or empty "Previous Webhook Secret" if it is that one. If your service signs with its characters as they are, set "Scheme" to "Custom" and, in "Signature Settings", "Key Format" to "Text".',
	);
}
