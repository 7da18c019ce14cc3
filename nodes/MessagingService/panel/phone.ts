import { COUNTRY_CODES } from './countryCodes';
import {
	HOW_TO_WRITE,
	type PhoneProblem,
	problemOf,
	TWO_NUMBERS,
	withPlainCharacters,
} from './phoneText';

/** What is wrong with a number that only a default country code could complete. */
export const NO_CODE: PhoneProblem = {
	problem: 'does not begin with "+" and a country code',
	advice: 'Use a format like +15555550142. A spreadsheet may have dropped the "+".',
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

interface Patterns {
	numbers: RegExp;
	trunk: RegExp;
}
/** A pattern that no text has. */
const NOTHING = '(?!)';
/** Compiled when they are first needed: a list has numbers of few countries. */
const patterns = new Map<string, Patterns>();

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
	if (number.startsWith('00')) return dialedAbroad(compact.slice(2), own);
	if (own !== '') return completed(own, number);
	return NO_CODE;
}

/** Whether a text is a country code, with or without "+". */
export function isCountryCode(text: string): boolean {
	return Object.hasOwn(COUNTRY_CODES, text.replace(/^\+/, ''));
}

/** The digits of a phone number, however it is written. */
export function digitsOf(text: string): string {
	return text.replace(/\D/g, '');
}

/** Reads a number that begins with its country code. */
function international(number: string): string | PhoneProblem {
	const code = countryCodeOf(number);
	const { lengths } = COUNTRY_CODES[code] ?? {};
	if (!lengths) return UNKNOWN_CODE;
	const [national = '', ...others] = nationalsAfter(code, number);
	// What is dialed only within the country, as in +44 07911 123456, has no place after the code.
	const isTrunkKept = national.startsWith('0') || patternsOf(code).trunk.test(national);
	if (others.length > 0 || isTrunkKept) return onlyNumber(code, [national, ...others]);
	if (lengths.includes(national.length)) return `+${code}${national}`;
	const isLong = national.length > Math.max(...lengths);
	return {
		problem: isLong ? 'is too long' : 'is too short',
		advice: `${lengthsOf(code)}, not ${national.length}.${isLong ? ' Leave out what is dialed only within the country, or an extension.' : ''}`,
	};
}

/** Reads a number that begins with "00": it stands for "+" where the default country dials abroad with it. */
function dialedAbroad(number: string, own: string): string | PhoneProblem {
	if (!COUNTRY_CODES[own]?.abroad00) return UNCLEAR_00;
	const code = countryCodeOf(number);
	return code === '' ? UNKNOWN_CODE : onlyNumber(code, nationalsAfter(code, number));
}

/** Completes a number that may have a trunk prefix, or its country code already, without "+". */
function completed(code: string, number: string): string | PhoneProblem {
	const withoutCode = number.startsWith(code) ? number.slice(code.length) : number;
	return onlyNumber(code, [number, number.replace(patternsOf(code).trunk, ''), withoutCode]);
}

/** What may follow a country code in a number, with and without a zero that is in brackets. */
function nationalsAfter(code: string, number: string): string[] {
	const national = withZeros(number.slice(code.length));
	return number[code.length] === INNER_ZERO ? [national.slice(1), national] : [national];
}

/** The one of several readings that is a number of the country code, unless there is none or another. */
function onlyNumber(code: string, readings: readonly string[]): string | PhoneProblem {
	const numbers = new Set(readings.filter((national) => isNumber(code, national)));
	const [number, other] = [...numbers].map((national) => `+${code}${national}`);
	if (number === undefined) {
		return {
			problem: `is no number of the country code ${code}`,
			advice: `${lengthsOf(code)}, without a 0 that is dialed only within the country. A number of another country needs "+" and its own code.`,
		};
	}
	if (other === undefined) return number;
	return { problem: `may be ${number} or ${other}`, advice: 'Enter the right one, with "+".' };
}

/** The beginning of a sentence: how long numbers of a country code are. */
function lengthsOf(code: string): string {
	const lengths = COUNTRY_CODES[code]?.lengths ?? [];
	const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
	const span = least === most ? `${least}` : `${least} to ${most}`;
	return `Numbers have ${span} digits after the country code ${code}`;
}

function isNumber(code: string, national: string): boolean {
	const lengths = COUNTRY_CODES[code]?.lengths ?? [];
	return lengths.includes(national.length) && patternsOf(code).numbers.test(national);
}

function patternsOf(code: string): Patterns {
	const known = patterns.get(code);
	if (known) return known;
	const { numbers = NOTHING, trunk = NOTHING } = COUNTRY_CODES[code] ?? {};
	const made = { numbers: new RegExp(`^(?:${numbers})$`), trunk: new RegExp(`^(?:${trunk})`) };
	patterns.set(code, made);
	return made;
}

/** The country code at the beginning of a number; empty if there is none. No code is the beginning of another. */
function countryCodeOf(number: string): string {
	const beginnings = [1, 2, 3].map((length) => number.slice(0, length));
	return beginnings.find(isCountryCode) ?? '';
}

const withZeros = (number: string) => number.replaceAll(INNER_ZERO, '0');
