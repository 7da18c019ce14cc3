import fc from 'fast-check';
import { Redactor } from '../../../nodes/MessagingService/api/secrets';
import { onThisMachine, startProcessorTime } from '../../helpers/processor';

const KEY = 'Key/for+tests_0001';
const HIDDEN = '[hidden]';

function hide(text: string, ...secrets: string[]): string {
	return new Redactor(secrets).hide(text);
}

test.each([
	['nothing by an empty secret', 'all of it', [''], 'all of it'],
	[
		'every secret, wherever it is',
		'key-of-a/key-of-b',
		['key-of-a', 'key-of-b'],
		'[hidden]/[hidden]',
	],
	[
		'secrets in whatever order they are known',
		'key-of-a/key-of-b',
		['key-of-b', 'key-of-a'],
		'[hidden]/[hidden]',
	],
	[
		'two without anything between them',
		'key-of-akey-of-b',
		['key-of-a', 'key-of-b'],
		'[hidden][hidden]',
	],
	['one beside a letter that is two in lower case', `İ ${KEY} İ`, [KEY], 'İ [hidden] İ'],
	['the longer of two at once', 'key-of-a-team', ['key-of-a', 'key-of-a-team'], '[hidden]'],
	['one that means something in a replacement', '$&$&$&$&$1', ['$&$&$&$&'], '[hidden]$1'],
	[
		'one in another case',
		`a ${KEY.toUpperCase()} b ${KEY.toLowerCase()}`,
		[KEY],
		'a [hidden] b [hidden]',
	],
	[
		'one as JSON writes it',
		String.raw`"a \"quoted\" \\key"`,
		[String.raw`a "quoted" \key`],
		'"[hidden]"',
	],
	[
		'one of several lines',
		String.raw`{"a":"BEGIN\nKEY\nEND"}`,
		['BEGIN\nKEY\nEND'],
		'{"a":"[hidden]"}',
	],
	['one in an address', '?q=key%20for%2Ftests&r=1', ['key for/tests'], '?q=[hidden]&r=1'],
	['one in an address of an address', '?q=key%2520for%252Ftests', ['key for/tests'], '?q=[hidden]'],
	...[KEY.toLowerCase(), KEY.toUpperCase()].map((changed): [string, string, string[], string] => [
		'one in another case in Base64',
		`a ${Buffer.from(changed).toString('base64')}`,
		[KEY],
		'a [hidden]',
	]),
	['one with escapes in it', 'at %2541bcdefgh', ['%41bcdefgh'], 'at [hidden]'],
	['one on a page', 'Key&#47;for&#x2B;tests_0001!', [KEY], '[hidden]!'],
	['one after something escaped', 'a%20b key%20for/tests c', ['key for/tests'], 'a%20b [hidden] c'],
	['one whose end is escaped twice', String.raw`Key/for+tests_000\u002531 c`, [KEY], '[hidden] c'],
	['nothing that is no character', '&#1114112; a', [KEY], '&#1114112; a'],
	['what any mark would show', 'the hidden *** key', ['hidden', '***'], 'the   key'],
	['one that the mark would show', 'the hidden key', ['hidden'], 'the *** key'],
])('hides %s', (_name, text, secrets, expected) => {
	expect(hide(text, ...secrets)).toBe(expected);
});

describe('a short secret', () => {
	test.each([
		['as a word', 'the key abc is wrong', 'the key [hidden] is wrong'],
		['between signs', '/x?key=ABC&y=abc.', '/x?key=[hidden]&y=[hidden].'],
		['escaped', String.raw`"\u0061bc"`, '"[hidden]"'],
		['alone', 'abc', '[hidden]'],
	])('is hidden %s', (_name, text, expected) => {
		expect(hide(text, 'abc')).toBe(expected);
	});

	test('leaves the words alone that contain it', () => {
		const text = 'The messaging service at messaging.example.com does not answer.';
		expect(hide(text, 'e', 'me', 'mes')).toBe(text);
	});
});

describe('the beginning of a text', () => {
	test('is the whole of one that is not long', () => {
		expect(new Redactor([KEY]).beginning(`a ${KEY}`)).toBe(`a ${HIDDEN}`);
	});

	test('is nearly 20,000 characters of one that is long', () => {
		const text = `${'x'.repeat(100)}${KEY}${'y'.repeat(30_000)}`;
		expect(new Redactor([KEY]).beginning(text)).toMatch(/^x{100}\[hidden\]y{19700,19900}$/);
	});

	test('ends with no part of a secret, wherever it is cut', () => {
		const redactor = new Redactor([KEY]);
		const forms = [KEY, [...KEY].map(unicode).join(''), Buffer.from(KEY).toString('base64')];
		fc.assert(
			fc.property(fc.constantFrom(...forms), fc.integer({ min: 0, max: 200 }), (form, shift) => {
				const text = ' '.repeat(20_000 - shift) + form + 'x'.repeat(500);
				const shown = redactor.beginning(text).trim();
				expect(['', HIDDEN]).toContain(shown.replace(/x*$/, ''));
			}),
			{ numRuns: 200 },
		);
	});

	test('of a large one is found at once', () => {
		const hostile = ['\\', '%25', '%41', '&#x0', 'a'].map((part) => part.repeat(500_000));
		const spent = startProcessorTime();
		for (const text of hostile) new Redactor(['a'.repeat(64)]).beginning(text);
		expect(spent()).toBeLessThan(onThisMachine(2_000));
	});
});

const most = onThisMachine(400);

test.each([
	String.raw`\u0061`,
	String.raw`a\\u0061`,
	'a%41',
	'a%2541',
	'&#65;',
	String.raw`\"%41`,
	`${KEY} `,
])('20,000 characters full of %s are looked through at once', (part) => {
	const text = part.repeat(20_000 / part.length);
	const redactor = new Redactor([KEY, 'another secret', 'abc']);
	const took = Array.from({ length: 10 }, () => {
		const spent = startProcessorTime();
		redactor.hide(text);
		return spent();
	});
	expect(Math.min(...took)).toBeLessThan(most);
});

/** One character as JSON may write it. */
function unicode(character: string): string {
	return [...character]
		.flatMap((each) => each.split(''))
		.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
		.join('');
}

function percent(character: string): string {
	return Buffer.from(character)
		.toString('hex')
		.replace(/../g, (byte) => `%${byte}`);
}

/** Ways in which a service may write a single character. */
const ESCAPES: Array<(character: string) => string> = [
	(character) => character,
	percent,
	(character) => percent(character).toUpperCase(),
	(character) => percent(character).replaceAll('%', '%25'),
	unicode,
	(character) => unicode(character).replaceAll('\\', '\\\\'),
	(character) => `&#${character.codePointAt(0)};`,
	(character) => character.toLowerCase(),
	(character) => character.toUpperCase(),
];

/** Ways in which it may write a secret as a whole, of which the last are in letters that may be escaped again. */
const ENCODINGS: Array<(secret: string) => string> = [
	encodeURIComponent,
	(secret) => JSON.stringify(secret).slice(1, -1),
	(secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
	(secret) => secret,
	(secret) => Buffer.from(secret).toString('base64'),
	(secret) => Buffer.from(secret).toString('base64url'),
	(secret) => Buffer.from(`u:${secret}`).toString('base64'),
	(secret) => Buffer.from(`us:${secret}:more`).toString('base64'),
	(secret) => Buffer.from(secret).toString('hex'),
];

const secrets = fc
	.string({
		unit: fc.constantFrom(...'ABCXYZabcxyz0123456789-_.~+/=%"\\&#é '),
		minLength: 8,
		maxLength: 64,
	})
	.filter((secret) => secret.trim().length >= 8);

/** The rest of a text; nothing in it may be part of an escape, which would change the secret. */
const around = fc.string({ unit: fc.constantFrom(...'ghi :;,{}[]()\n'), maxLength: 30 });

test('nothing of a secret is left in a text, however it is written there', () => {
	fc.assert(
		fc.property(
			secrets,
			fc.nat({ max: ENCODINGS.length - 1 }),
			fc.array(fc.nat({ max: ESCAPES.length - 1 }), { minLength: 1, maxLength: 80 }),
			around,
			around,
			(secret, encoding, escapes, before, after) => {
				const encoded = ENCODINGS[encoding]?.(secret) ?? '';
				// Of a secret that looks like an escape, parts of it that are escaped again may mean something else.
				const isEscaped = encoding > 3 || (encoding === 3 && !/[%\\&]/.test(secret));
				const written = !isEscaped
					? encoded
					: [...encoded]
							.map((each, i) => ESCAPES[escapes[i % escapes.length] ?? 0]?.(each))
							.join('');
				const redactor = new Redactor([secret]);
				const text = `${before} ${written} ${after}`;
				expect(redactor.isIn(text)).toBe(true);
				const hidden = redactor.hide(text);
				expect(hidden).not.toContain(written);
				expect(redactor.isIn(hidden)).toBe(false);
			},
		),
		{ numRuns: Number(process.env.SECRET_CASES ?? 3_000) },
	);
});
