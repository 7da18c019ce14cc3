/** How many digits at the beginning of a number are kept. */
const KEPT = 3;
const DIGITS = [...'0123456789'];
const BEGINNINGS = Array.from({ length: 10 ** KEPT }, (_, n) => String(n).padStart(KEPT, '0'));

/**
 * A shorter pattern for numbers: it knows their first three digits, and how many follow. It matches at least what the
 * given one matches.
 *
 * @param pattern of digits, classes, groups and bounded quantifiers, as libphonenumber has them
 * @param lengths that numbers may have
 */
export function byBeginnings(pattern: string, lengths: readonly number[]): string {
	const mayBe = matcher(pattern);
	const byRest = Map.groupBy(BEGINNINGS, (first) =>
		restOf(lengths.filter((length) => mayBe(first, length)).map((length) => length - KEPT)),
	);
	byRest.delete('');
	return [...byRest].map(([rest, firsts]) => oneOf(firsts) + rest).join('|');
}

/** Tells whether a pattern matches any number of some length that begins with some digits. */
function matcher(pattern: string): (first: string, length: number) => boolean {
	// A blank stands for whatever digit the pattern wants there.
	const open = pattern.replace(/\\d|\[[^\]]*\]|\{[^}]*\}|\d/g, (part) =>
		part.startsWith('{') ? part : `[${part.replace(/[[\]]/g, '')} ]`,
	);
	const regExp = new RegExp(`^(?:${open})$`);
	return (first, length) => regExp.test(first.padEnd(length));
}

/** A pattern for so many more digits; empty if there are no such numbers. */
function restOf(counts: readonly number[]): string {
	const [least, most] = [counts.at(0), counts.at(-1)];
	if (least === undefined || most === undefined) return '';
	const isRange = most > least && most - least === counts.length - 1;
	const ranges = isRange ? [`${least},${most}`] : counts;
	return grouped(ranges.map((range) => `\\d{${range}}`));
}

/** A pattern for texts of digits. */
function oneOf(texts: readonly string[]): string {
	const byTail = new Map<string, string[]>();
	for (const digit of DIGITS) {
		const tails = texts.filter((text) => text.startsWith(digit)).map((text) => text.slice(1));
		if (tails.length === 0) continue;
		const tail = tails.every((each) => each === '') ? '' : oneOf(tails);
		byTail.set(tail, [...(byTail.get(tail) ?? []), digit]);
	}
	const alternatives = [...byTail].map(([tail, digits]) => classOf(digits) + tail);
	return grouped(alternatives);
}

const grouped = (alternatives: readonly string[]) =>
	alternatives.length === 1 ? alternatives.join('') : `(?:${alternatives.join('|')})`;

function classOf(digits: readonly string[]): string {
	if (digits.length === DIGITS.length) return '\\d';
	if (digits.length === 1) return digits.join('');
	const text = digits.join('');
	const runs = DIGITS.join('').match(new RegExp(`[${text}]+`, 'g')) ?? [];
	return `[${runs.map((run) => (run.length > 2 ? `${run[0]}-${run.at(-1)}` : run)).join('')}]`;
}
