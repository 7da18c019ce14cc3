import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'crypto';
import { Problem } from '../../../n8n/problem';
import type { Choice } from '../../dropdown';

/** A signature algorithm. */
export interface Algorithm extends Choice {
	/** The curve of the public key; undefined for HMAC, where both sides know the secret. */
	curve?: 'prime256v1' | 'ed25519';
}

export const ED25519: Algorithm = { name: 'Ed25519', value: 'ed25519', curve: 'ed25519' };

export const ALGORITHMS: Algorithm[] = [
	{ name: 'ECDSA P-256', value: 'ecdsaP256', curve: 'prime256v1' },
	ED25519,
	{ name: 'HMAC SHA-1', value: 'sha1' },
	{ name: 'HMAC SHA-256', value: 'sha256' },
	{ name: 'HMAC SHA-512', value: 'sha512' },
];

const BASE64 = { name: 'Base64', value: 'base64' } as const;
const HEX = { name: 'Hexadecimal', value: 'hex' } as const;
const TEXT = { name: 'Text', value: 'text' } as const;

/** How signatures are written. */
export const ENCODINGS = [BASE64, HEX];
/** How the webhook secret of the credential is written. */
export const KEY_FORMATS = [BASE64, HEX, TEXT];

/**
 * Decodes a text; undefined if it is not valid in this encoding. Node.js would decode any text as far as it can, down
 * to an empty key, with which everybody could sign.
 */
export function decode(text: string, encoding: 'base64' | 'hex'): Buffer | undefined {
	const digits =
		encoding === 'hex' ? /^(?:[\da-f]{2})+$/i : /^(?:[a-z\d+/]{4})*[a-z\d+/]{2,4}={0,2}$/i;
	return digits.test(text) ? Buffer.from(text, encoding) : undefined;
}

/** The prefix of public keys in Standard Webhooks. */
export const PUBLIC_MARK = 'whpk_';

/** A key: called with the signed content, it returns a function that checks signatures of it. */
export type Key = (content: Buffer) => (signature: Buffer) => boolean;

/**
 * Parses a webhook secret as a key. A public key may be PEM with any key format. With the format "Text", it is read as
 * Base64, since no public key is plain text.
 *
 * @throws {Problem} when it is not a valid key.
 */
export function parseKey(
	secret: string,
	{ algorithm, keyFormat }: { algorithm: Algorithm; keyFormat: (typeof KEY_FORMATS)[number] },
): Key {
	const { curve, name, value: hash } = algorithm;
	if (/^-----BEGIN [A-Z ]*PRIVATE KEY|^whsk_/.test(secret)) {
		throw new Problem(
			'The webhook secret is a private key: enter the public key instead',
			'Only the service may have it. Enter the public key that belongs to it in the credential.',
		);
	}
	const isPem = secret.startsWith('-----BEGIN');
	if (!curve && (isPem || secret.startsWith(PUBLIC_MARK))) {
		// Anybody may know a public key. Used as an HMAC secret, it would let anybody sign.
		throw new Problem(
			`The webhook secret is a public key, and ${name} needs a secret`,
			'Choose the algorithm that your service signs with, Ed25519 or ECDSA P-256, or enter its signing secret in the credential.',
		);
	}
	const format = isPem || (curve && keyFormat.value === 'text') ? BASE64 : keyFormat;
	const bytes =
		format.value === 'text' ? Buffer.from(secret) : decode(withoutFrame(secret), format.value);
	if (!bytes) {
		throw new Problem(
			`The webhook secret in the credential is not written as ${isPem ? 'PEM' : format.name}: enter the one that your service gives you`,
			'Copy it from your service again, from its first character to its last. If "Scheme" is "Custom", check "Key Format" too.',
		);
	}
	if (!curve) return hmacKey(bytes, hash);
	const key = readPublicKey(bytes, curve);
	if (key) return publicKey(key);
	throw new Problem(
		`The webhook secret is no public key for ${name}: copy the key from your service again`,
		'Copy the public key from your service again. If "Scheme" is "Custom", check "Algorithm" and "Key Format" too.',
	);
}

/**
 * Removes the prefix of Standard Webhooks from a secret, or the header and footer of PEM (RFC 7468) from a public key.
 * A field of one line removes the line breaks of PEM, or turns them into spaces.
 */
function withoutFrame(secret: string): string {
	const [, pem] = /^-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----$/.exec(secret) ?? [];
	return pem?.replace(/\s|\\[nr]/g, '') ?? secret.replace(/^(?:whsec_|whpk_)/, '');
}

function hmacKey(bytes: Buffer, hash: string): Key {
	return (content) => {
		const made = createHmac(hash, bytes).update(content).digest();
		return (signature) => signature.length === made.length && timingSafeEqual(signature, made);
	};
}

function publicKey(key: KeyObject): Key {
	const hash = key.asymmetricKeyType === 'ec' ? 'sha256' : null;
	return (content) => (signature) => {
		// For ECDSA: the two numbers one after the other are 64 bytes long; DER is longer.
		const dsaEncoding = signature.length === 64 ? 'ieee-p1363' : 'der';
		return verify(hash, content, { key, dsaEncoding }, signature);
	};
}

/**
 * The bytes before the key in a SubjectPublicKeyInfo (RFC 8410, RFC 5480), by the length of the raw key: Ed25519, a
 * compressed point of P-256, and an uncompressed one.
 */
const SPKI_HEADERS: Record<number, string> = {
	32: '302a300506032b6570032100',
	33: '3039301306072a8648ce3d020106082a8648ce3d030107032200',
	65: '3059301306072a8648ce3d020106082a8648ce3d030107034200',
};

/** Reads a public key, raw or as SubjectPublicKeyInfo; undefined if it is not a key of this curve. */
function readPublicKey(bytes: Buffer, curve: string): KeyObject | undefined {
	const header = Buffer.from(SPKI_HEADERS[bytes.length] ?? '', 'hex');
	const der = Buffer.concat([header, bytes]);
	try {
		const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
		return (key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType) === curve
			? key
			: undefined;
	} catch {
		return undefined;
	}
}
