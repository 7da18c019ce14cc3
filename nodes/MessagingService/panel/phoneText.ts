import { withoutInvisible } from '../api/invisible';
import { quote } from '../api/json';

/** Why a text is not accepted as a phone number. */
export interface PhoneProblem {
	problem: string;
	advice: string;
}

export const HOW_TO_WRITE = 'Use a format like +15555550142.';

export const TWO_NUMBERS: PhoneProblem = {
	problem: 'may be two numbers',
	advice: 'Enter a single number, in a format like +15555550142.',
};

/** What is no phone number, although its digits might be somebody's. */
const REFUSED: ReadonlyArray<[RegExp, PhoneProblem]> = [
	[/^\D*$|^.{100}/s, { problem: 'is not a phone number', advice: HOW_TO_WRITE }],
	[
		// -23124982, 15555550142.0, 1.55556E+10
		/^[^\d+]*-|^\+?\d+[.,]0{1,2}$|^\d+(?:[.,]\d+)?e\+?\d+$/i,
		{
			problem: 'was calculated or shortened',
			advice:
				'A spreadsheet may have taken it for an amount. Format the column as text there, and enter the number again.',
		},
	],
	[/\d.*\+/s, TWO_NUMBERS],
];

/** What a phone number consists of. */
const FOREIGN = /[a-z]+|[^\d\s()+./-]/iu;

/**
 * A phone number in the characters that the rules know, however it was typed or copied: dashes and full-width signs
 * become those of ASCII, and what nobody sees is left out.
 */
export function withPlainCharacters(text: string): string {
	return withoutInvisible(text)
		.replace(/[\uff01-\uff5e]/g, (fullWidth) => fullWidth.normalize('NFKC'))
		.replace(/[\u2010-\u2015\u2212\u30fc]/g, '-')
		.trim();
}

/** Why a text in plain characters is no phone number, as far as its digits do not matter. */
export function problemOf(text: string): PhoneProblem | undefined {
	const [, refused] = REFUSED.find(([pattern]) => pattern.test(text)) ?? [];
	if (refused) return refused;
	const [foreign] = FOREIGN.exec(text) ?? [];
	if (foreign === undefined) return undefined;
	return {
		problem: `contains ${quote(foreign)}`,
		advice: `Enter a single number without an extension: digits, separators and "+" in front. ${HOW_TO_WRITE}`,
	};
}
