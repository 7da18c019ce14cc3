import { COUNTRY_CODES } from './countryCodes';

/** Why a text is not accepted as a phone number. */
interface PhoneProblem {
	problem: string;
	advice: string;
	/** Whether a default country code may complete it. */
	lacksCode?: boolean;
}

const FORMAT = 'Use a format like +15555550142.';
const NO_NUMBER: PhoneProblem = { problem: 'is not a phone number', advice: FORMAT };
const CALCULATED: PhoneProblem = {
	problem: 'was calculated or shortened',
	advice:
		'A spreadsheet may have taken it for an amount. Format the column as text, and enter it again.',
};
const TWO_NUMBERS: PhoneProblem = {
	problem: 'may be two numbers',
	advice: `Enter a single number. ${FORMAT}`,
};
const NO_CODE: PhoneProblem = {
	problem: 'does not begin with "+" and a country code',
	advice: `${FORMAT} A spreadsheet or a form may have dropped the "+".`,
	lacksCode: true,
};
const UNKNOWN_CODE: PhoneProblem = {
	problem: 'has a country code that does not exist',
	advice: FORMAT,
};

/** What spreadsheets make of numbers: -23124982, 15555550142.0, 1701234567.25, 1.55556E+10. */
const AMOUNT = /^[^\d+]*-|^\+?\d+[.,]0{1,2}$|^\+?\d{7,}[.,]\d+$|^\d+(?:[.,]\d+)?e\+?\d+$/i;
/** Letters and signs that no phone number has. */
const FOREIGN = /[a-z]+|[^\d\s()+./-]/iu;

/** A blank that a form has made of a "+" which was not written as "%2B". */
const FORM_BLANK = /^\s+\d/;

/** Stands for a zero in brackets, as in +44 (0)20. In most countries, it is dialed only within the country. */
const INNER_ZERO = 'o';

/** What the table knows about each country code. */
const countries = new Map(
	COUNTRY_CODES.trim()
		.split('\n')
		.map((line) => {
			const columns = line.replaceAll('d', String.raw`\d`).split(' ');
			const [code, lengths, abroad, trunk, numbers, mobiles = numbers] = columns;
			const country = {
				lengths: [...lengths].map((sign) => parseInt(sign, 36)),
				isAbroad00: abroad === '00',
				trunk: new RegExp(`^(?:${trunk})`),
				numbers: new RegExp(`^(?:${numbers})$`),
				mobiles: new RegExp(`^(?:${mobiles})$`),
			};
			return [code, country];
		}),
);

/**
 * Converts a phone number to E.164: "+" and digits, without the separators that people write. Of two readings, a
 * mobile number of the default country is taken; if none is one, the text is refused.
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
	const number = readNumber(compact, own, FORM_BLANK.test(text));
	return typeof number === 'string' ? unlessCodeTwice(number) : number;
}

/**
 * Reads a number without separators.
 *
 * @param own the default country code, or nothing
 * @param hasLostPlus whether a "+" in front of it has probably become a blank
 */
function readNumber(compact: string, own: string, hasLostPlus: boolean): string | PhoneProblem {
	if (compact.startsWith('+')) return international(compact.slice(1));
	const number = withZeros(compact);
	if (number.startsWith('00')) {
		return countries.get(own)?.isAbroad00 ? onlyNumber(...splitCode(compact.slice(2))) : NO_CODE;
	}
	return own === '' ? NO_CODE : completed(own, number, hasLostPlus);
}

/** A number, unless its country code seems to be there twice, as in "+49 49 170 1234567". */
function unlessCodeTwice(number: string): string | PhoneProblem {
	const [code, [national]] = splitCode(number.slice(1));
	const mobiles = countries.get(code)?.mobiles;
	const rest = national.startsWith(code) ? national.slice(code.length) : '';
	const isTwice = mobiles?.test(rest) && !mobiles.test(national);
	return isTwice ? eitherOf(number, `+${code}${rest}`) : number;
}

/**
 * A phone number in the characters that the rules know, however it was typed or copied: dashes and full-width signs
 * become those of ASCII, digits of other scripts the same digits, and invisible characters are removed.
 */
function withPlainCharacters(text: string): string {
	return withPlainDigits(text)
		.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
		.replace(/[\uff01-\uff5e]/g, (fullWidth) => fullWidth.normalize('NFKC'))
		.replace(/[\u2010-\u2015\u2212\u30fc]/g, '-')
		.trim();
}

/** Why a text in plain characters is no phone number, although its digits may be one; undefined if it may be one. */
function problemOf(text: string): PhoneProblem | undefined {
	if (!/\d/.test(text) || text.length > 100) return NO_NUMBER;
	if (AMOUNT.test(text)) return CALCULATED;
	if (/\d.*\+/s.test(text)) return TWO_NUMBERS;
	const [foreign] = FOREIGN.exec(text) ?? [];
	if (foreign === undefined) return undefined;
	return {
		problem: `contains "${foreign.replace(/\p{Cc}/u, '?')}"`,
		advice: `Enter a single number without an extension. ${FORMAT}`,
	};
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
 * Reads a number that begins with "+" and its country code. A possible length is enough, since countries add numbers.
 * But one that may begin with a trunk prefix, as +44 07911 123456 does, or is a mobile number that lacks digits has to
 * match the pattern of its country.
 */
function international(number: string): string | PhoneProblem {
	const [code, nationals] = splitCode(number);
	const [national, ...others] = nationals;
	const country = countries.get(code);
	if (!country || others.length > 0) return onlyNumber(code, nationals);
	const { lengths, trunk, mobiles } = country;
	const mayHaveTrunk = national.startsWith('0') || trunk.test(national);
	const mayBeCut =
		!mobiles.test(national) && lengths.some((length) => mobiles.test(national.padEnd(length, '0')));
	const isPossible = lengths.includes(national.length) && !mayHaveTrunk && !mayBeCut;
	return isPossible ? `+${code}${national}` : onlyNumber(code, nationals);
}

/**
 * Completes a number without "+". It may have a trunk prefix, or its country code already. One that may also be that of
 * another country without its "+" is completed only if it is that of a mobile phone.
 *
 * @param hasLostPlus whether a "+" in front of it has probably become a blank
 */
function completed(code: string, number: string, hasLostPlus: boolean): string | PhoneProblem {
	const country = countries.get(code);
	const withoutTrunk = number.replace(country?.trunk ?? '', '');
	const withoutCode = number.startsWith(code) ? number.slice(code.length) : number;
	const own = onlyNumber(code, [number, withoutTrunk, withoutCode]);
	const other = withPlus(number);
	if (typeof own !== 'string' || other === undefined || own === other.number) return own;
	const isMobile = country?.mobiles.test(own.slice(1 + code.length));
	return isMobile && !(hasLostPlus && other.isMobile) ? own : eitherOf(own, other.number);
}

/** What a number is with a "+" in front, if it has a length that is possible in some country, maybe but for a zero. */
function withPlus(number: string): { number: string; isMobile: boolean } | undefined {
	const [code, [national]] = splitCode(number);
	const country = countries.get(code);
	const possible = [national, national.replace(/^0/, '')].filter((each) =>
		country?.lengths.includes(each.length),
	);
	const best = possible.find((each) => country?.numbers.test(each)) ?? possible[0];
	if (best === undefined) return undefined;
	return { number: `+${code}${best}`, isMobile: country?.mobiles.test(best) ?? false };
}

/**
 * Splits a number into its country code, empty if it has none, and its possible rest: with a zero in brackets, there are
 * two. No country code is the beginning of another.
 */
function splitCode(number: string): [code: string, nationals: [string, ...string[]]] {
	const beginnings = [1, 2, 3].map((length) => number.slice(0, length));
	const code = beginnings.find((beginning) => countries.has(beginning)) ?? '';
	const national = withZeros(number.slice(code.length));
	const hasInnerZero = number[code.length] === INNER_ZERO;
	return [code, hasInnerZero ? [national.slice(1), national] : [national]];
}

/** The only one of several readings that is a number of the country code; a problem if none or more than one is. */
function onlyNumber(code: string, readings: readonly string[]): string | PhoneProblem {
	const country = countries.get(code);
	if (!country) return UNKNOWN_CODE;
	const { lengths, numbers } = country;
	const found = new Set(
		readings.filter((each) => lengths.includes(each.length) && numbers.test(each)),
	);
	const [number, other] = [...found].map((national) => `+${code}${national}`);
	if (other) return eitherOf(number, other);
	if (number) return number;
	const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
	const isRange = lengths.length > 2 && most - least < lengths.length;
	const span = isRange ? `${least} to ${most}` : lengths.join(' or ');
	return {
		problem: `is not a valid number for country code ${code}`,
		advice: `Numbers have ${span} digits after it, without a 0 dialed only within the country. Numbers of other countries need their "+".`,
	};
}

/** The problem of a text that may be either of two numbers. */
function eitherOf(number: string, other: string): PhoneProblem {
	return {
		problem: `may be ${number} or ${other}`,
		advice:
			'Enter the right one, with "+". A spreadsheet or a form may have dropped it: a form has to write "%2B".',
	};
}

const withZeros = (number: string) => number.replaceAll(INNER_ZERO, '0');

const DIGIT = /\p{Nd}/u;

/** Replaces the digits of other scripts, and full-width ones, by those from 0 to 9 that they are. */
export function withPlainDigits(text: string): string {
	return text.replace(/[^\P{Nd}\d]/gu, (digit) => {
		// Each script has its ten digits in a row, and some rows follow one another.
		const place = digit.codePointAt(0) ?? 0;
		let before = 0;
		while (DIGIT.test(String.fromCodePoint(place - before - 1))) before++;
		return String(before % 10);
	});
}
