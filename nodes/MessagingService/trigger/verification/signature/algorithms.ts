import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'crypto';
import type { Choice } from '../../dropdown';

/** What a signature is made of, in parts. */
export type Content = ReadonlyArray<string | Uint8Array>;

/** Prepares to check signatures of one content with one key. */
export type Key = (content: Content) => (signature: Uint8Array) => boolean;

export interface Algorithm extends Choice {
	/** Whether signatures are checked with a public key, instead of a secret that both sides know. */
	isPublic: boolean;
	/** Makes a key of its bytes; undefined when they are none for this algorithm. */
	toKey(bytes: Buffer): Key | undefined;
}

export const ALGORITHMS: Algorithm[] = [
	{
		name: 'ECDSA P-256',
		value: 'ecdsaP256',
		isPublic: true,
		toKey: (bytes) => {
			const key = readPublicKey(bytes);
			if (key?.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return undefined;
			return (content) => {
				const data = join(content);
				return (signature) => {
					// Both numbers one after the other have 64 bytes; in DER they have more.
					const dsaEncoding = signature.length === 64 ? 'ieee-p1363' : 'der';
					return verify('sha256', data, { key, dsaEncoding }, signature);
				};
			};
		},
	},
	{
		name: 'Ed25519',
		value: 'ed25519',
		isPublic: true,
		toKey: (bytes) => {
			const key = readPublicKey(bytes);
			if (key?.asymmetricKeyType !== 'ed25519') return undefined;
			return (content) => {
				const data = join(content);
				return (signature) => verify(null, data, key, signature);
			};
		},
	},
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
			const made = content
				.reduce((mac, part) => mac.update(part), createHmac(hash, bytes))
				.digest();
			return (signature) => signature.length === made.length && timingSafeEqual(signature, made);
		},
	};
}

function join(content: Content): Buffer {
	return Buffer.concat(content.map((part) => Buffer.from(part)));
}

/**
 * What stands before the bytes of a key itself in a SubjectPublicKeyInfo (RFC 8410, RFC 5480), by the number of
 * those bytes: Ed25519, a point of P-256 as it is, and a compressed one.
 */
const SPKI_HEADERS = new Map<number, string>([
	[32, '302a300506032b6570032100'],
	[65, '3059301306072a8648ce3d020106082a8648ce3d030107034200'],
	[33, '3039301306072a8648ce3d020106082a8648ce3d030107032200'],
]);

function readPublicKey(bytes: Buffer): KeyObject | undefined {
	const header = Buffer.from(SPKI_HEADERS.get(bytes.length) ?? '', 'hex');
	try {
		return createPublicKey({ key: Buffer.concat([header, bytes]), format: 'der', type: 'spki' });
	} catch {
		return undefined;
	}
}
