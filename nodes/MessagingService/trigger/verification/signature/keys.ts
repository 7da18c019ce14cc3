import { Problem } from '../../../nodeError';
import type { Algorithm, Key } from './algorithms';
import type { Encoding } from './encodings';

/** How the text of the webhook secret stands for the bytes of a key. */
export interface KeyFormat extends Encoding {
	/** Whether it is for public keys or for shared secrets alone; undefined when it is for both. */
	isPublic?: boolean;
	/** What such a secret has, in words. */
	looks: string;
}

/** What the secrets and the public keys of Standard Webhooks begin with. */
const SECRET_MARK = 'whsec_';
const PUBLIC_MARK = 'whpk_';

export const KEY_AS_BASE64: KeyFormat = {
	name: 'Base64',
	value: 'base64',
	looks:
		'letters, digits, "+" and "/" alone, with "=" at the end if need be. "whsec_" or "whpk_" in front is taken off.',
	decode: (text) => decodeStrictly(withoutMark(text), 'base64'),
};

export const KEY_AS_TEXT: KeyFormat = {
	name: 'Text',
	value: 'text',
	isPublic: false,
	looks: 'any text.',
	decode: (text) => Buffer.from(text),
};

export const KEY_FORMATS: KeyFormat[] = [
	KEY_AS_BASE64,
	{
		name: 'Hexadecimal',
		value: 'hex',
		looks: 'an even number of digits and letters from "a" to "f".',
		decode: (text) => decodeStrictly(withoutMark(text), 'hex'),
	},
	{
		name: 'PEM',
		value: 'pem',
		isPublic: true,
		looks: '"-----BEGIN PUBLIC KEY-----", the key, and "-----END PUBLIC KEY-----".',
		decode: decodePem,
	},
	KEY_AS_TEXT,
];

/**
 * Reads a webhook secret as a key.
 *
 * @throws {Problem} when it is none.
 */
export function readKey(
	secret: string,
	{ algorithm, keyFormat: format }: { algorithm: Algorithm; keyFormat: KeyFormat },
): Key {
	checkKind(secret, algorithm);
	const bytes = format.decode(secret);
	if (!bytes) {
		throw new Problem(
			`The webhook secret is not written as ${format.name}: copy it from your service again`,
			`Such a secret has ${format.looks} Copy it from your service again. If "Scheme" is "Custom", check "Key Format" too.`,
		);
	}
	const key = algorithm.toKey(bytes);
	if (key) return key;
	throw new Problem(
		`The webhook secret is no public key for ${algorithm.name}: copy the key from your service again`,
		'Copy the public key from your service again. If "Scheme" is "Custom", check "Algorithm" and "Key Format" too.',
	);
}

/** Checks that a secret is not of the wrong kind for an algorithm, whatever bytes it stands for. */
function checkKind(secret: string, { isPublic, name }: Algorithm): void {
	if (/^-----BEGIN [A-Z ]*PRIVATE KEY|^whsk_/.test(secret)) {
		throw new Problem(
			'The webhook secret is a private key: enter the public key instead',
			'Only the service may have it. Enter the public key that belongs to it in the credential.',
		);
	}
	if (!isPublic && (secret.startsWith('-----BEGIN') || secret.startsWith(PUBLIC_MARK))) {
		// Everybody may know it, so everybody could sign with it.
		throw new Problem(
			`The webhook secret is a public key, and ${name} needs a secret`,
			'Choose the algorithm that your service signs with, Ed25519 or ECDSA P-256, or enter its signing secret in the credential.',
		);
	}
	if (isPublic && secret.startsWith(SECRET_MARK)) {
		throw new Problem(
			`The webhook secret is a signing secret ("whsec_…"), and ${name} needs a public key`,
			'Choose HMAC SHA-256 as "Algorithm", or enter the public key of your service in the credential.',
		);
	}
}

function withoutMark(secret: string): string {
	const mark = [SECRET_MARK, PUBLIC_MARK].find((each) => secret.startsWith(each)) ?? '';
	return secret.slice(mark.length);
}

const PATTERNS = {
	base64: /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{4}|[A-Za-z\d+/]{3}=?|[A-Za-z\d+/]{2}(?:==)?)$/,
	hex: /^(?:[\da-f]{2})+$/i,
};

// Node.js decodes any text as far as it can, down to an empty key.
function decodeStrictly(text: string, encoding: keyof typeof PATTERNS): Buffer | undefined {
	return PATTERNS[encoding].test(text) ? Buffer.from(text, encoding) : undefined;
}

/** A public key as PEM (RFC 7468). A field of one line takes away its line breaks, or makes blanks of them. */
function decodePem(text: string): Buffer | undefined {
	const [, content] =
		/^-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----$/.exec(text) ?? [];
	if (content === undefined) return undefined;
	return decodeStrictly(content.replace(/\s|\\[nr]/g, ''), 'base64');
}
