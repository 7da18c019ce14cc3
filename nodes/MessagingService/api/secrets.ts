import { encode } from './url';

const MARK = '[hidden]';
/** Shorter secrets are found as whole words only, since their letters occur in any text by chance. */
const SHORT = 8;
/** The letters of an escape before it, as in %3D or \n, do not count as part of a word. */
const WORD_BEGINS = '(?:(?<![\\p{L}\\p{N}])|(?<=%[\\da-f]{2}|\\\\[a-z]))';
const WORD_ENDS = '(?![\\p{L}\\p{N}])';

/** Takes secrets out of texts: as they are, URL-encoded, escaped as in JSON, and in Base64. */
export class Redactor {
	private readonly secrets: readonly string[];
	private pattern?: RegExp;

	constructor(secrets: readonly string[]) {
		this.secrets = secrets.filter(Boolean);
	}

	/** Whether a text has a secret in it, whichever of its characters are percent-encoded. */
	isIn(text: string): boolean {
		return readingsOf(text).some((reading) => this.hide(reading) !== reading);
	}

	/** The text with a mark in place of each secret. */
	hide(text: string): string {
		if (this.secrets.length === 0) return text;
		// Built when it is first needed.
		this.pattern ??= new RegExp(patternsOf(this.secrets).join('|'), 'giu');
		return text.replace(this.pattern, MARK);
	}
}

/** A text as it is and percent-decoded, as Latin-1 and as UTF-8; a plus sign and a space may stand for each other. */
function readingsOf(text: string): string[] {
	return [text, text.replaceAll('+', ' '), text.replaceAll(' ', '+')].flatMap((part) => {
		const decoded = part.replace(/%([\da-f]{2})/gi, (_escape, digits: string) =>
			String.fromCharCode(Number.parseInt(digits, 16)),
		);
		return [part, decoded, Buffer.from(decoded, 'latin1').toString()];
	});
}

function patternsOf(secrets: readonly string[]): string[] {
	const patterns = secrets.flatMap((secret) => {
		const forms = [secret, encode(secret), JSON.stringify(secret).slice(1, -1)];
		if (secret.length < SHORT) {
			return forms.map((form) => `${WORD_BEGINS}${escapeRegExp(form)}${WORD_ENDS}`);
		}
		const encoded = [0, 1, 2].flatMap((before) => base64Of(secret, before));
		return [...forms, ...encoded].map(escapeRegExp);
	});
	// The longest first: a shorter form may be a part of it.
	return [...new Set(patterns)].sort((a, b) => b.length - a.length);
}

/** A secret in both alphabets of Base64, after so many other bytes: only the characters that depend on it alone. */
function base64Of(secret: string, before: number): string[] {
	const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
	const first = Math.ceil((before * 8) / 6);
	const end = Math.floor((whole.length * 8) / 6);
	return (['base64', 'base64url'] as const).map((alphabet) =>
		whole.toString(alphabet).slice(first, end),
	);
}

function escapeRegExp(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
