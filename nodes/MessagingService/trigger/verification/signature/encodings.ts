import type { Choice } from '../../panelValues';

/** A way to write bytes as text. */
export interface Encoding extends Choice {
	/** The bytes that a text stands for; undefined when it is not written so. */
	decode(text: string): Buffer | undefined;
}

/** Maximum length of a signature. It bounds what is done with a hostile one. */
const MAX_LENGTH = 256;

export const HEX: Encoding = {
	name: 'Hexadecimal',
	value: 'hex',
	decode: (text) => decodeExactly(text.toLowerCase(), 'hex'),
};

/** In either alphabet (RFC 4648, sections 4 and 5), padded or not. */
export const BASE64: Encoding = {
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

export const ENCODINGS: Encoding[] = [BASE64, HEX];

// Node.js decodes any text as far as it can.
function decodeExactly(text: string, encoding: 'base64url' | 'hex'): Buffer | undefined {
	if (text === '' || text.length > MAX_LENGTH) return undefined;
	const bytes = Buffer.from(text, encoding);
	return bytes.toString(encoding) === text ? bytes : undefined;
}
