/** What a secret is replaced by: the first of these that does not show it itself. */
const MARKS = ['[hidden]', '***'];
/** Shorter secrets are found as whole words only, since their letters stand in any text by chance. */
const SHORT = 8;
/** How much of a long text is looked at for its beginning. */
const LOOKED_AT = 20_000;
/** The longest escape that may be cut in two there. */
const LONGEST_ESCAPE = 16;

/** A way to write characters as others. */
interface Escaping {
	pattern: RegExp;
	/** What a match of the pattern stands for. */
	decode(match: readonly string[]): string;
}

/** \u0041, \x41, \n, and backslashes before a sign; however many of them, since they may be escaped themselves. */
const BACKSLASHES: Escaping = {
	pattern: /\\+(?:u\{0{0,4}([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|[bfnrt]|(?=["'\\/]))/gi,
	decode([whole, braced, unicode, hex]) {
		const code = braced ?? unicode ?? hex;
		if (code !== undefined) return fromCode(parseInt(code, 16), whole);
		return /[a-z]/i.test(whole) ? ' ' : '';
	},
};

/** A run of %41 or, escaped again, %2541. */
const PERCENTS: Escaping = {
	pattern: /(?:%(?:25)*[\da-f]{2})+/gi,
	decode: ([whole]) => Buffer.from(whole.replace(/%(?:25)*(?=[\da-f]{2})/gi, ''), 'hex').toString(),
};

/** &#65; and &#x41; as on a web page. */
const ENTITIES: Escaping = {
	pattern: /&#(?:x0{0,5}([\da-f]{1,6})|0{0,5}(\d{1,7}));/gi,
	decode: ([whole, hex, decimal]) =>
		fromCode(hex === undefined ? Number(decimal) : parseInt(hex, 16), whole),
};

/** Text of JSON may be in an address, and an address in JSON. */
const ESCAPINGS = [BACKSLASHES, PERCENTS, ENTITIES, BACKSLASHES];

/** A text as texts are compared, by its UTF-16 units, and which part of the text each of these comes from. */
interface Folded {
	units: string;
	origins: Range[];
}

/** A folded form of a secret. */
interface Needle {
	units: string;
	/** Whether it counts only where no letter or digit is beside it. */
	isWord: boolean;
}

interface Range {
	from: number;
	to: number;
}

/**
 * Finds secrets in texts and takes them out: as they are, in upper or lower case, with any of their characters
 * escaped as in addresses, JSON or HTML, and in Base64 or hexadecimal, also where more was encoded with them.
 * Secrets of fewer than eight characters are found as whole words, and not where they were encoded.
 */
export class Redactor {
	private readonly secrets: readonly string[];
	private known?: { needles: Needle[]; mark: string };

	constructor(secrets: readonly string[]) {
		this.secrets = secrets.filter(Boolean);
	}

	isIn(text: string): boolean {
		return this.find(foldings(text)).length > 0;
	}

	hide(text: string): string {
		return this.replace(text, this.find(foldings(text)));
	}

	/** The beginning of a text, however long that is, without secrets; its end has no part of one either. */
	beginning(text: string): string {
		if (text.length <= LOOKED_AT) return this.hide(text);
		const folded = foldings(text.slice(0, LOOKED_AT));
		const longest = Math.max(0, ...this.forms.needles.map(({ units }) => units.length));
		const ends = folded.map(
			({ origins }) => origins[origins.length - longest - LONGEST_ESCAPE]?.from ?? 0,
		);
		const end = Math.min(...ends);
		const found = this.find(folded).filter(({ from }) => from < end);
		return this.replace(text.slice(0, end), found);
	}

	/** What to look for; worked out only when something is to be hidden. */
	private get forms(): { needles: Needle[]; mark: string } {
		if (this.known) return this.known;
		const needles = [...new Set(this.secrets)].flatMap(needlesOf);
		const mark = MARKS.find((each) => search(foldings(each), needles).length === 0) ?? '';
		this.known = { needles, mark };
		return this.known;
	}

	private find(folded: readonly Folded[]): Range[] {
		return search(folded, this.forms.needles);
	}

	private replace(text: string, found: readonly Range[]): string {
		let replaced = '';
		let at = 0;
		for (const { from, to } of found) {
			replaced += text.slice(at, from) + this.forms.mark;
			at = to;
		}
		return replaced + text.slice(at);
	}
}

function needlesOf(secret: string): Needle[] {
	const isWord = secret.length < SHORT;
	// What looks like an escape in the secret itself may be read in another way where the secret is escaped.
	const plain = [
		secret,
		encodeURIComponent(secret.toWellFormed()),
		JSON.stringify(secret).slice(1, -1),
	];
	const forms = isWord ? plain : [...plain, ...encodingsOf(secret)];
	const folded = forms.flatMap((form) => foldings(form).map(({ units }) => units));
	return [...new Set(folded)].map((units) => ({ units, isWord }));
}

function encodingsOf(secret: string): string[] {
	return [secret, secret.toLowerCase(), secret.toUpperCase()].flatMap((each) => {
		const bytes = Buffer.from(each);
		return [bytes.toString('hex'), ...[0, 1, 2].map((before) => base64Of(bytes, before))];
	});
}

/** What Base64 makes of bytes wherever they stand in a whole: the signs that depend on them alone. */
function base64Of(bytes: Buffer, before: number): string {
	const whole = Buffer.concat([Buffer.alloc(before), bytes]);
	const first = Math.ceil((before * 8) / 6);
	const end = Math.floor((whole.length * 8) / 6);
	return whole.toString('base64').slice(first, end);
}

/** Where a text has any of the needles in any of its foldings: in order, and without overlaps. */
function search(foldings: readonly Folded[], needles: readonly Needle[]): Range[] {
	const ranges = foldings.flatMap((folded) =>
		needles.flatMap((needle) => searchOne(folded, needle)),
	);
	return merge(ranges.sort((a, b) => a.from - b.from));
}

function searchOne({ units, origins }: Folded, { units: needle, isWord }: Needle): Range[] {
	const ranges: Range[] = [];
	for (let at = units.indexOf(needle); at !== -1; at = units.indexOf(needle, at + 1)) {
		const after = at + needle.length;
		if (isWord && (isLetter(units[at - 1]) || isLetter(units[after]))) continue;
		ranges.push({ from: origins[at].from, to: origins[after - 1].to });
	}
	return ranges;
}

function merge(ranges: readonly Range[]): Range[] {
	const merged: Range[] = [];
	for (const range of ranges) {
		const last = merged.at(-1);
		if (last && range.from < last.to) last.to = Math.max(last.to, range.to);
		else merged.push({ ...range });
	}
	return merged;
}

function isLetter(unit: string | undefined): boolean {
	return unit !== undefined && /[\p{L}\p{N}]/u.test(unit);
}

/**
 * A text with what is written in several ways folded: case, blanks, the signs in which the kinds of Base64 differ, and
 * step by step what is escaped. Each step counts, since what looks like an escape may be none.
 */
function foldings(text: string): Folded[] {
	const origins = Array.from({ length: text.length }, (_, at) => ({ from: at, to: at + 1 }));
	const steps: Folded[] = [{ units: text, origins }];
	for (const escaping of ESCAPINGS) {
		const last = steps[steps.length - 1];
		const next = unescape(last, escaping);
		if (next !== last) steps.push(next);
	}
	return steps.map((step) => ({ ...step, units: foldSigns(step.units) }));
}

function foldSigns(units: string): string {
	// The only letter that takes more units in lower case; all others have to keep their places.
	const lower = units.replaceAll('İ', 'i').toLowerCase();
	return lower.replace(/[\s+]/g, '-').replaceAll('_', '/');
}

/** Decodes what is escaped in one way. Each unit of an escape comes from the whole of it. */
function unescape(folded: Folded, { pattern, decode }: Escaping): Folded {
	const origins: Range[] = [];
	let units = '';
	const add = (added: string, originOf: (index: number) => Range) => {
		units += added;
		for (let i = 0; i < added.length; i++) origins.push(originOf(i));
	};
	let at = 0;
	const copyTo = (end: number) => {
		const begin = at;
		add(folded.units.slice(begin, end), (i) => folded.origins[begin + i]);
	};
	for (const match of folded.units.matchAll(pattern)) {
		copyTo(match.index);
		at = match.index + match[0].length;
		const whole = { from: folded.origins[match.index].from, to: folded.origins[at - 1].to };
		add(decode(match), () => whole);
	}
	if (at === 0) return folded;
	copyTo(folded.units.length);
	return { units, origins };
}

function fromCode(code: number, otherwise: string): string {
	return code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;
}
