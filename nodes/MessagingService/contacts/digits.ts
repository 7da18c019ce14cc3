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
