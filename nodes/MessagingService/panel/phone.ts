/** The country codes that ITU-T has assigned (list of E.164 country codes), by their first digits. */
const COUNTRY_CODE = new RegExp(
	`^(?:${[
		'1|7',
		'2[07]|21[12368]|2[2346]\\d|25[0-8]|29[01789]',
		'3[0-469]|35\\d|37\\d|38[0-3]|38[5679]',
		'4[013-9]|42[013]',
		'5[1-8]|50\\d|59\\d',
		'6[0-6]|67[02-9]|68[0-3]|68[5-9]|69[0-2]',
		'8[1246]|80[08]|85[02356]|87[08]|88[0-368]',
		'9[0-58]|96[0-8]|97[0-79]|99[2-68]',
	].join('|')})`,
);

/** The lengths of the shortest and longest numbers with their country code (E.164; the shortest are those of Niue). */
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
/** Country codes whose national numbers all have the same length. A longer one may be from another country. */
const NATIONAL_DIGITS: Readonly<Record<string, number>> = { '1': 10 };
/** Trunk prefixes, dialed before a national number without being part of it. For other country codes, it is a zero. */
const TRUNK_PREFIXES: Readonly<Record<string, RegExp>> = {
	'1': /^1(?=\d{10}$)/,
	'7': /^8(?=\d{10}$)/,
	'36': /^06/,
	'375': /^80/,
	'993': /^8(?=\d{8}$)/,
};
const ZERO = /^0+/;
/** Country codes after which a zero is part of the number. */
const KEEPS_ZERO = /^(?:39|225|241|242|378)/;

/** Numbers that cannot exist, with a trunk prefix after the country code, as in +44 07911 123456. */
const KEPT_PREFIX = /^(?:1[01]|(?:20|234|254|27|3[1-3]|353|4[013469]|6[0-46]|8[124]|9[01]|972)0)/;

/** A number that a spreadsheet has turned into a decimal. The zeros after the point are not part of it. */
const DECIMAL = /^\s*\+?\d+[.,]0{1,2}\s*$/;

const HOW_TO_WRITE = 'Use a format like +15555550142.';

/** Why a text is not accepted as a phone number. */
export interface PhoneProblem {
	problem: string;
	advice: string;
}

/**
 * Converts a phone number to E.164: "+" and digits, without the separators that people write.
 *
 * @param defaultCountryCode completes numbers without a country code; without it they are refused
 */
export function toE164(text: string, defaultCountryCode?: string): string | PhoneProblem {
	if (DECIMAL.test(text)) {
		return {
			problem: 'is a decimal number',
			advice: 'A spreadsheet may have added the ".0". Format the column as text there.',
		};
	}
	const bare = text.replace(/[\s.\-/\u2010-\u2015\p{Cf}]/gu, '');
	const isInternational = /^\(*(?:\+|00)/.test(bare);
	const country = digitsOf(isInternational ? bare : (defaultCountryCode ?? '')).replace(/^00/, '');
	// "(0)" is left out when dialing from abroad, unless the zero is part of the number.
	const compact = bare.replace(/\(0\)/g, KEEPS_ZERO.test(country) ? '0' : '').replace(/[()]/g, '');
	if (!/^\+?\d+$/.test(compact)) return { problem: 'is not a phone number', advice: HOW_TO_WRITE };
	const [, international] = /^(?:\+|00)(\d*)$/.exec(compact) ?? [];
	if (international === undefined && defaultCountryCode === undefined) {
		return {
			problem: 'needs a country code',
			advice:
				'Use a format like +15555550142, or set "Default Country Code" in the options. A spreadsheet may have dropped the "+".',
		};
	}
	const digits = international ?? completeBy(digitsOf(defaultCountryCode ?? ''), compact);
	if (typeof digits === 'object') return digits;
	const [code] = COUNTRY_CODE.exec(digits) ?? [];
	if (code === undefined) {
		return { problem: 'has a country code that does not exist', advice: HOW_TO_WRITE };
	}
	if (KEPT_PREFIX.test(digits)) {
		return {
			problem: `is no number of the country code ${code}`,
			advice:
				'Leave out a 0 that is dialed only within the country: +447911123456, not +44 07911 123456.',
		};
	}
	if (digits.length < MIN_DIGITS) return { problem: 'is too short', advice: HOW_TO_WRITE };
	if (digits.length > MAX_DIGITS) return { problem: 'is too long', advice: HOW_TO_WRITE };
	return `+${digits}`;
}

/** Whether a text is a country code, with or without "+". */
export function isCountryCode(text: string): boolean {
	const digits = text.replace(/^\+/, '');
	return COUNTRY_CODE.exec(digits)?.[0] === digits;
}

/** Puts the country code before a national number, unless the number may have one already, without "+". */
function completeBy(code: string, number: string): string | PhoneProblem {
	const national = KEEPS_ZERO.test(code)
		? number
		: number.replace(TRUNK_PREFIXES[code] ?? ZERO, '');
	const length = NATIONAL_DIGITS[code] ?? national.length;
	const hasCode = number.startsWith(code) && number.length >= MIN_DIGITS;
	const mayBeComplete =
		national === number && COUNTRY_CODE.test(number) && (hasCode || number.length > length);
	if (mayBeComplete) {
		return {
			problem: `may be +${number} or +${code}${number}`,
			advice: 'Enter the right one, with "+".',
		};
	}
	if (national.length === length) return code + national;
	return {
		problem: `is no number of the country code ${code}`,
		advice: `Numbers there have ${length} digits. Write one of another country with "+", such as +447911123456.`,
	};
}

/** The digits of a phone number, however it is written. */
export function digitsOf(text: string): string {
	return text.replace(/\D/g, '');
}
