/** How many digits at the beginning of a number are kept. */
const KEPT = 3;
const DIGITS = [...'0123456789'];

/** The first digits of numbers, and how many more follow: none where there are fewer first digits than are kept. */
type Beginnings = ReadonlyMap<string, readonly number[]>;

/**
 * A shorter pattern for numbers: it knows their first three digits, and how many follow. It matches at least what the
 * given one matches.
 *
 * @param pattern of digits, classes, groups and bounded quantifiers, as libphonenumber has them
 */
export function byBeginnings(pattern: string): string {
	const byRest = new Map<string, string[]>();
	for (const [first, more] of beginningsOf(pattern)) {
		const [least = 0, most = 0] = [more.at(0), more.at(-1)];
		const isRange = most - least === more.length - 1;
		const counts = isRange && most > least ? [`${least},${most}`] : more;
		const rest = grouped(counts.map((count) => `\\d{${count}}`));
		byRest.set(rest, [...(byRest.get(rest) ?? []), first]);
	}
	return [...byRest].map(([rest, firsts]) => oneOf(firsts) + rest).join('|');
}

/** Reads a pattern from its beginning to its end. */
function beginningsOf(pattern: string): Beginnings {
	const tokens = pattern.match(/\\d|\[[^\]]*\]|\(\?:|\{[^}]*\}|./g) ?? [];

	const readAlternatives = (): Beginnings => {
		let found = readSequence();
		while (tokens[0] === '|') {
			tokens.shift();
			found = merged([...found, ...readSequence()]);
		}
		return found;
	};
	const readSequence = (): Beginnings => {
		let found: Beginnings = new Map([['', [0]]]);
		while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')') {
			const atom = readAtom();
			const [least, most] = readQuantifier();
			const repeated: Array<readonly [string, readonly number[]]> = [];
			for (let count = 0; count <= most; count++) {
				if (count >= least) repeated.push(...found);
				found = followed(found, atom);
			}
			found = merged(repeated);
		}
		return found;
	};
	const readAtom = (): Beginnings => {
		const token = tokens.shift() ?? '';
		if (token !== '(?:') {
			const one = new RegExp(`^${token}$`);
			return new Map(DIGITS.filter((digit) => one.test(digit)).map((digit) => [digit, [0]]));
		}
		const found = readAlternatives();
		tokens.shift();
		return found;
	};
	const readQuantifier = (): [least: number, most: number] => {
		if (!/^[?{]/.test(tokens[0] ?? '')) return [1, 1];
		const [least = 0, most = least || 1] = (tokens.shift()?.match(/\d+/g) ?? []).map(Number);
		return [least, most];
	};
	return readAlternatives();
}

function followed(found: Beginnings, next: Beginnings): Beginnings {
	const lengths = new Set([...next].flatMap(([first, more]) => sums([first.length], more)));
	const entries = [...found].flatMap(([first, more]) => {
		// Of what follows the first digits, only the length counts.
		if (first.length === KEPT) return [[first, sums(more, [...lengths])] as const];
		return [...next].map(([nextFirst, nextMore]) => {
			const digits = first + nextFirst;
			const beyond = Math.max(digits.length - KEPT, 0);
			return [digits.slice(0, KEPT), sums(nextMore, [beyond])] as const;
		});
	});
	return merged(entries);
}

const sums = (some: readonly number[], others: readonly number[]) =>
	some.flatMap((one) => others.map((other) => one + other));

function merged(entries: ReadonlyArray<readonly [string, readonly number[]]>): Beginnings {
	const all = new Map<string, Set<number>>();
	for (const [first, more] of entries) {
		const counts = all.get(first) ?? new Set();
		for (const count of more) counts.add(count);
		all.set(first, counts);
	}
	return new Map([...all].map(([first, more]) => [first, [...more].sort((a, b) => a - b)]));
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
