import { withoutInvisible } from '../api/invisible';
import { quote } from '../api/json';

/** Why a text is not accepted as a phone number. */
export interface PhoneProblem {
	problem: string;
	advice: string;
}

export const HOW_TO_WRITE = 'Use a format like +15555550142.';
const AS_TEXT = 'Format the column as text there, and enter the number again.';

export const TWO_NUMBERS: PhoneProblem = {
	problem: 'may be two numbers',
	advice: 'Enter a single number, in a format like +15555550142.',
};

/** What is no phone number, although its digits might be somebody's. */
const REFUSED: ReadonlyArray<PhoneProblem & { pattern: RegExp }> = [
	{ pattern: /^.{100}/s, problem: 'is too long', advice: HOW_TO_WRITE },
	{ pattern: /^\D*$/, problem: 'is not a phone number', advice: HOW_TO_WRITE },
	{
		pattern: /^\+?\d+[.,]0{1,2}$/,
		problem: 'is a decimal number',
		advice: 'A spreadsheet may have added the ".0". Format the column as text there.',
	},
	{
		pattern: /^[+-]?\d+(?:[.,]\d+)?e[+-]?\d+$/i,
		problem: 'is a rounded number',
		advice: `A spreadsheet may have shortened it. ${AS_TEXT}`,
	},
	{
		pattern: /^[^\d+]*-/,
		problem: 'begins with a minus sign',
		advice: `A spreadsheet may have calculated with it. ${AS_TEXT}`,
	},
	{
		pattern: /\d[\s,;(]*(?:ext(?:ensio)?n?|x|#)[\s.:=]*\d+\)?$/i,
		problem: 'has an extension',
		advice: 'Leave it out: nothing can be sent to an extension.',
	},
	{ pattern: /\d[^\d+]*\+|\d[\s)]*(?:[,;&|]|\b(?:or|and)\b)[\s(]*\d/i, ...TWO_NUMBERS },
];

/**
 * A phone number in the characters that the rules know, however it was typed or copied: digits of all scripts, dashes
 * and full-width signs become those of ASCII, and what nobody sees is left out.
 */
export function withPlainCharacters(text: string): string {
	return withoutInvisible(text)
		.replace(/[\uff01-\uff5e]/g, (fullWidth) => fullWidth.normalize('NFKC'))
		.replace(/[\u2010-\u2015\u2212\u30fc]/g, '-')
		.replace(/(?!\d)\p{Nd}/gu, valueOf)
		.trim();
}

/** Why a text in plain characters is no phone number, as far as its digits do not matter. */
export function problemOf(text: string): PhoneProblem | undefined {
	const refused = REFUSED.find(({ pattern }) => pattern.test(text));
	if (refused) return { problem: refused.problem, advice: refused.advice };
	const [foreign] = /[a-z]+|[^\d\s()+./-]/iu.exec(text) ?? [];
	if (foreign === undefined) return undefined;
	// It may look like a digit, or like nothing at all.
	const point = (foreign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
	const name = /^[!-~]/.test(foreign) ? '' : ` (the character U+${point})`;
	return {
		problem: `contains ${quote(foreign)}${name}`,
		advice: `A phone number has nothing but digits, separators and "+". ${HOW_TO_WRITE}`,
	};
}

const DIGIT = /\p{Nd}/u;

/** The value of a digit of any script. They stand in blocks from 0 to 9, of which some follow each other. */
function valueOf(digit: string): string {
	const point = digit.codePointAt(0) ?? 0;
	let before = 0;
	while (DIGIT.test(String.fromCodePoint(point - before - 1))) before++;
	return String(before % 10);
}
