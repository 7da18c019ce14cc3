import { COUNTRY_CODES } from './countryCodes';
import {
	HOW_TO_WRITE,
	type PhoneProblem,
	problemOf,
	TWO_NUMBERS,
	withPlainCharacters,
} from './phoneText';

const NO_CODE: PhoneProblem = {
	problem: 'does not begin with "+" and a country code',
	advice:
		'Use a format like +15555550142. A spreadsheet may have dropped the "+". To have the action node add it, set "Default Country Code" in its options.',
};
const UNKNOWN_CODE: PhoneProblem = {
	problem: 'has a country code that does not exist',
	advice: HOW_TO_WRITE,
};
const UNCLEAR_00: PhoneProblem = {
	problem: 'begins with "00", which does not mean the same everywhere',
	advice: 'Write "+" and the country code instead, such as +447911123456.',
};

/** A zero in brackets, as in +44 (0)20: in most countries, it is dialed only from within. */
const INNER_ZERO = 'o';

/** What the table knows of each country code. */
const countries = new Map(
	COUNTRY_CODES.trim()
		.split('\n')
		.map((line) => {
			const [code, lengths, abroad, trunk, numbers] = line.split(' ');
			const country = {
				lengths: lengths.split(',').map(Number),
				isAbroad00: abroad === '00',
				trunk: new RegExp(`^(?:${trunk})`),
				numbers: new RegExp(`^(?:${numbers})$`),
			};
			return [code, country];
		}),
);

/**
 * Converts a phone number to E.164: "+" and digits, without the separators that people write. What can be read in two
 * ways is refused, so that it never becomes the number of somebody else.
 *
 * @param defaultCountryCode completes numbers without a country code; without it they are refused
 */
export function toE164(text: string, defaultCountryCode?: string): string | PhoneProblem {
	const written = withPlainCharacters(text);
	const problem = problemOf(written);
	if (problem) return problem;
	// 0170/1234567 is one number, +15555550142/43 is two.
	const parts = written.split(/[/\n]/);
	const isNumberUpTo = (end: number) =>
		typeof toE164(parts.slice(0, end).join(''), defaultCountryCode) === 'string';
	if (parts.some((_, index) => index > 0 && isNumberUpTo(index))) return TWO_NUMBERS;

	const compact = written.replace(/\(\s*0\s*\)/g, INNER_ZERO).replace(/[\s()./-]/g, '');
	const own = digitsOf(defaultCountryCode ?? '');
	if (compact.startsWith('+')) return international(compact.slice(1));
	const number = withZeros(compact);
	if (number.startsWith('00')) {
		return countries.get(own)?.isAbroad00 ? onlyNumber(...splitCode(compact.slice(2))) : UNCLEAR_00;
	}
	return own === '' ? NO_CODE : completed(own, number);
}

/** Whether a text is a country code, with or without "+". */
export function isCountryCode(text: string): boolean {
	return countries.has(text.replace(/^\+/, ''));
}

/** The digits of a phone number, however it is written. */
export function digitsOf(text: string): string {
	return text.replace(/\D/g, '');
}

/**
 * Reads a number that begins with "+" and its country code. A possible length is enough, since countries add numbers;
 * unless it may begin with what is dialed only within the country, as +44 07911 123456 does.
 */
function international(number: string): string | PhoneProblem {
	const [code, nationals] = splitCode(number);
	const [national, ...others] = nationals;
	const country = countries.get(code);
	const mayHaveTrunk =
		others.length > 0 || national.startsWith('0') || country?.trunk.test(national);
	const isPossible = country?.lengths.includes(national.length) && !mayHaveTrunk;
	return isPossible ? `+${code}${national}` : onlyNumber(code, nationals);
}

/** Completes a number that may have a trunk prefix, or its country code already, without "+". */
function completed(code: string, number: string): string | PhoneProblem {
	const withoutTrunk = number.replace(countries.get(code)?.trunk ?? '', '');
	const withoutCode = number.startsWith(code) ? number.slice(code.length) : number;
	return onlyNumber(code, [number, withoutTrunk, withoutCode]);
}

/**
 * Splits a number into its country code, empty if it has none, and what may follow: with and without a zero in brackets.
 * No code is the beginning of another.
 */
function splitCode(number: string): [code: string, nationals: [string, ...string[]]] {
	const beginnings = [1, 2, 3].map((length) => number.slice(0, length));
	const code = beginnings.find((beginning) => countries.has(beginning)) ?? '';
	const national = withZeros(number.slice(code.length));
	const hasInnerZero = number[code.length] === INNER_ZERO;
	return [code, hasInnerZero ? [national.slice(1), national] : [national]];
}

/** The one of several readings that is a number of the country code, unless there is none or another. */
function onlyNumber(code: string, readings: readonly string[]): string | PhoneProblem {
	const country = countries.get(code);
	if (!country) return UNKNOWN_CODE;
	const { lengths, numbers } = country;
	const found = new Set(
		readings.filter((each) => lengths.includes(each.length) && numbers.test(each)),
	);
	const [number, other] = [...found].map((national) => `+${code}${national}`);
	if (other)
		return { problem: `may be ${number} or ${other}`, advice: 'Enter the right one, with "+".' };
	if (number) return number;
	const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
	const span = least === most ? `${least}` : `${least} to ${most}`;
	return {
		problem: `is no number of the country code ${code}`,
		advice: `Numbers have ${span} digits after it, without an extension or a 0 that is dialed only within the country. A number of another country needs "+" and its own code.`,
	};
}

const withZeros = (number: string) => number.replaceAll(INNER_ZERO, '0');
