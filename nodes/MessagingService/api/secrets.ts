import { shorten } from './text';
import { encode } from './url';

const MARK = '[hidden]';
/** Shorter secrets are found as whole words only, since their letters occur in any text by chance. */
const SHORT = 8;
/** The most characters of words that are shown. */
const MAX_SHOWN_LENGTH = 1_000;

/** Takes secrets out of texts: as they are, URL-encoded, and escaped as in JSON. */
export class Redactor {
	private readonly secrets: readonly string[];
	private pattern?: RegExp;

	constructor(secrets: readonly string[]) {
		this.secrets = secrets.filter(Boolean);
	}

	/** Whether a text has a secret in it, even if any of its characters are percent-encoded. */
	isIn(text: string): boolean {
		return readingsOf(text).some((reading) => this.hide(reading) !== reading);
	}

	/** The text with a mark in place of each secret. */
	hide(text: string): string {
		if (this.secrets.length === 0) return text;
		this.pattern ??= new RegExp(patternsOf(this.secrets).join('|'), 'giu');
		return text.replace(this.pattern, MARK);
	}

	/** Words as they may be shown: without secrets, and only then shortened, so that no part of a secret is left. */
	shown(words: string): string {
		return shorten(this.hide(words), MAX_SHOWN_LENGTH);
	}
}

/** A text as it is, and percent-decoded as Latin-1 and as UTF-8, also with plus signs and spaces exchanged. */
function readingsOf(text: string): string[] {
	return [text, text.replaceAll('+', ' '), text.replaceAll(' ', '+')].flatMap((part) => {
		const decoded = part.replace(/%([\da-f]{2})/gi, (_escape, digits: string) =>
			String.fromCharCode(Number.parseInt(digits, 16)),
		);
		return [part, decoded, Buffer.from(decoded, 'latin1').toString()];
	});
}

function patternsOf(secrets: readonly string[]): string[] {
	// The longest come first, since a shorter one may be a part of it.
	return [...secrets]
		.sort((a, b) => b.length - a.length)
		.flatMap((secret) => {
			const forms = [escapeRegExp(encode(secret)), Array.from(secret, patternOf).join('')];
			if (secret.length >= SHORT) return forms;
			return forms.map((form) => `(?<![\\p{L}\\p{N}])${form}(?![\\p{L}\\p{N}])`);
		});
}

/** A pattern for a character as it is, and as writers of JSON escape it: a slash also as "\/" or "\u002F". */
function patternOf(character: string): string {
	const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
	const forms = [
		escapeRegExp(character),
		escapeRegExp(JSON.stringify(character).slice(1, -1)),
		units.map((unit) => `\\\\u${unit}`).join(''),
		...(character === '/' ? ['\\\\/'] : []),
	];
	return `(?:${forms.join('|')})`;
}

function escapeRegExp(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
