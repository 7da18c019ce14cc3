import { createHmac, timingSafeEqual } from 'crypto';
import type { Choice } from '../panelValues';

interface Algorithm extends Choice {
	/** Whether this is the signature of a content, which is given in parts. */
	accepts(signature: Uint8Array, key: Buffer, content: Array<string | Uint8Array>): boolean;
}

export const ALGORITHMS: Algorithm[] = [
	{ name: 'SHA-1', value: 'sha1', accepts: hmac('sha1') },
	{ name: 'SHA-256', value: 'sha256', accepts: hmac('sha256') },
	{ name: 'SHA-512', value: 'sha512', accepts: hmac('sha512') },
];

function hmac(hash: string): Algorithm['accepts'] {
	return (signature, key, content) => {
		const made = content.reduce((hmac, part) => hmac.update(part), createHmac(hash, key)).digest();
		return signature.length === made.length && timingSafeEqual(signature, made);
	};
}

interface Encoding extends Choice {
	/** The bytes that a text stands for; undefined when it is not written so. */
	decode(text: string): Buffer | undefined;
}

/** How a signature is written: exactly as its bytes would be encoded. */
export const ENCODINGS: Encoding[] = [
	{ name: 'Base64', value: 'base64', decode: (text) => decodeExactly(text, 'base64') },
	{ name: 'Hexadecimal', value: 'hex', decode: (text) => decodeExactly(text.toLowerCase(), 'hex') },
];

/** How the text of the secret stands for the bytes of a key. */
export const KEY_FORMATS: Encoding[] = [
	{ name: 'As Base64', value: 'base64', decode: decoder('base64', /^[\w+/-]{2,}={0,2}$/) },
	{ name: 'As Hexadecimal', value: 'hex', decode: decoder('hex', /^([\da-f]{2})+$/i) },
	{ name: 'As It Is', value: 'utf8', decode: (text) => Buffer.from(text) },
];

// Node.js decodes any text as far as it can, down to an empty key.
function decoder(encoding: 'base64' | 'hex', pattern: RegExp): Encoding['decode'] {
	return (text) => (pattern.test(text) ? Buffer.from(text, encoding) : undefined);
}

function decodeExactly(text: string, encoding: 'base64' | 'hex'): Buffer | undefined {
	const bytes = Buffer.from(text, encoding);
	return bytes.toString(encoding) === text ? bytes : undefined;
}
