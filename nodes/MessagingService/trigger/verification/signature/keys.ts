import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'crypto';
import { Problem } from '../../../nodeError';
import type { Choice } from '../../dropdown';

/** Prepares to check signatures of one content with one key. */
export type Key = (content: Buffer) => (signature: Buffer) => boolean;

/** A way to make signatures. */
interface Algorithm extends Choice {
	/** Whether signatures are checked with a public key, instead of a secret that both sides know. */
	isPublic: boolean;
	/** Makes a key of its bytes; undefined when they are none for this algorithm. */
	toKey(bytes: Buffer): Key | undefined;
}

export const ALGORITHMS: Algorithm[] = [
	publicKey('ECDSA P-256', 'ecdsaP256', 'prime256v1', 'sha256'),
	publicKey('Ed25519', 'ed25519', 'ed25519', null),
	hmac('HMAC SHA-1', 'sha1'),
	hmac('HMAC SHA-256', 'sha256'),
	hmac('HMAC SHA-512', 'sha512'),
];

function hmac(name: string, hash: string): Algorithm {
	return {
		name,
		value: hash,
		isPublic: false,
		toKey: (bytes) => (content) => {
			const made = createHmac(hash, bytes).update(content).digest();
			return (signature) => signature.length === made.length && timingSafeEqual(signature, made);
		},
	};
}

function publicKey(name: string, value: string, kind: string, hash: string | null): Algorithm {
	return {
		name,
		value,
		isPublic: true,
		toKey: (bytes) => {
			const key = readPublicKey(bytes, kind);
			if (!key) return undefined;
			return (content) => (signature) => {
				// For ECDSA: both numbers one after the other have 64 bytes; in DER they have more.
				const dsaEncoding = signature.length === 64 ? 'ieee-p1363' : 'der';
				return verify(hash, content, { key, dsaEncoding }, signature);
			};
		},
	};
}

/**
 * What stands before a key itself in a SubjectPublicKeyInfo (RFC 8410, RFC 5480), by the number of its bytes: that of
 * Ed25519, a compressed point of P-256, and a whole one.
 */
const SPKI_HEADERS: Record<number, string> = {
	32: '302a300506032b6570032100',
	33: '3039301306072a8648ce3d020106082a8648ce3d030107032200',
	65: '3059301306072a8648ce3d020106082a8648ce3d030107034200',
};

/** A key by itself or as SubjectPublicKeyInfo; undefined when it is none of this curve or type. */
function readPublicKey(bytes: Buffer, kind: string): KeyObject | undefined {
	const header = Buffer.from(SPKI_HEADERS[bytes.length] ?? '', 'hex');
	try {
		const key = createPublicKey({
			key: Buffer.concat([header, bytes]),
			format: 'der',
			type: 'spki',
		});
		const { asymmetricKeyDetails, asymmetricKeyType } = key;
		return (asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType) === kind ? key : undefined;
	} catch {
		return undefined;
	}
}

/** A way to write bytes as text. */
interface Encoding extends Choice {
	/** The bytes that a text stands for; undefined when it is not written so. */
	decode(text: string): Buffer | undefined;
}

const BASE64 = { name: 'Base64', value: 'base64' };
const HEX = { name: 'Hexadecimal', value: 'hex' };

/** How signatures are written: Base64 in either alphabet (RFC 4648, sections 4 and 5). */
export const ENCODINGS: Encoding[] = [
	{
		...BASE64,
		decode: (text) => decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/')),
	},
	{ ...HEX, decode: decodeHex },
];

/**
 * How the webhook secret of the credential is written. Base64 in one alphabet only: a secret with "_" is a text, of
 * which the other one would make another key.
 */
export const KEY_FORMATS: Encoding[] = [
	{ ...BASE64, decode: (text) => decodeBase64(withoutMark(text)) },
	{ ...HEX, decode: (text) => decodeHex(withoutMark(text)) },
	{ name: 'Text', value: 'text', decode: (text) => Buffer.from(text) },
];

// Node.js decodes any text as far as it can, down to an empty key, with which everybody could sign.
function decodeBase64(text: string): Buffer | undefined {
	const isBase64 = /^(?:[A-Za-z\d+/]{4})*[A-Za-z\d+/]{2,4}={0,2}$/.test(text);
	return isBase64 ? Buffer.from(text, 'base64') : undefined;
}

function decodeHex(text: string): Buffer | undefined {
	return /^(?:[\dA-Fa-f]{2})+$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** What the public keys of Standard Webhooks begin with. */
export const PUBLIC_MARK = 'whpk_';

function withoutMark(secret: string): string {
	return secret.replace(/^(?:whsec_|whpk_)/, '');
}

const PEM = '-----BEGIN';

/** A public key as PEM (RFC 7468). A field of one line takes away its line breaks, or makes blanks of them. */
function decodePem(text: string): Buffer | undefined {
	const [, content = ''] =
		/^-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----$/.exec(text) ?? [];
	return decodeBase64(content.replace(/\s|\\[nr]/g, ''));
}

/**
 * Reads a webhook secret as a key. A public key may be PEM, whatever format is set; one that is set to be text is
 * Base64, since no public key is a text.
 *
 * @throws {Problem} when it is none.
 */
export function readKey(
	secret: string,
	{ algorithm, keyFormat }: { algorithm: Algorithm; keyFormat: Encoding },
): Key {
	const { isPublic, name } = algorithm;
	const isPem = secret.startsWith(PEM);
	if (/^-----BEGIN [A-Z ]*PRIVATE KEY|^whsk_/.test(secret)) {
		throw new Problem(
			'The webhook secret is a private key: enter the public key instead',
			'Only the service may have it. Enter the public key that belongs to it in the credential.',
		);
	}
	if (!isPublic && (isPem || secret.startsWith(PUBLIC_MARK))) {
		// Everybody may know it, so everybody could sign with it.
		throw new Problem(
			`The webhook secret is a public key, and ${name} needs a secret`,
			'Choose the algorithm that your service signs with, Ed25519 or ECDSA P-256, or enter its signing secret in the credential.',
		);
	}
	const [keyAsBase64] = KEY_FORMATS;
	const format = isPublic && keyFormat.value === 'text' ? keyAsBase64 : keyFormat;
	const bytes = isPem ? decodePem(secret) : format.decode(secret);
	if (!bytes) {
		throw new Problem(
			`The webhook secret is not written as ${isPem ? 'PEM' : format.name}: copy it from your service again`,
			'Copy it from your service again, from its first character to its last. If "Scheme" is "Custom", check "Key Format" too.',
		);
	}
	const key = algorithm.toKey(bytes);
	if (key) return key;
	throw new Problem(
		`The webhook secret is no public key for ${name}: copy the key from your service again`,
		'Copy the public key from your service again. If "Scheme" is "Custom", check "Algorithm" and "Key Format" too.',
	);
}
