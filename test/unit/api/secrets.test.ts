import fc from 'fast-check';
import { Redactor } from '../../../nodes/MessagingService/api/secrets';

const KEY = 'Key/for+tests_0001';
const HIDDEN = '[hidden]';

function hide(text: string, ...secrets: string[]): string {
	return new Redactor(secrets).hide(text);
}

test.each([
	['nothing for an empty secret', 'all of it', [''], 'all of it'],
	['every secret', 'key-of-a/key-of-b', ['key-of-b', 'key-of-a'], '[hidden]/[hidden]'],
	['the longer of two', 'key-of-a-team', ['key-of-a', 'key-of-a-team'], '[hidden]'],
	['one that means something in a pattern', 'a $&$&$&$& b', ['$&$&$&$&'], 'a [hidden] b'],
	['one in another case', `a ${KEY.toUpperCase()} b`, [KEY], 'a [hidden] b'],
	[
		'one as JSON writes it',
		String.raw`{"a":"BEGIN\n\"KEY\""}`,
		['BEGIN\n"KEY"'],
		'{"a":"[hidden]"}',
	],
	[
		'one as other writers of JSON escape it',
		String.raw`Key\/for+tests_0001 Key\u002Ffor\u002btests_0001`,
		[KEY],
		'[hidden] [hidden]',
	],
	['one in an address', '?q=key%20for%2Ftests&r=1', ['key for/tests'], '?q=[hidden]&r=1'],
	['one with a half of a character', 'a key-of-\ud800 b', ['key-of-\ud800'], 'a [hidden] b'],
])('hides %s', (_name, text, secrets, expected) => {
	expect(hide(text, ...secrets)).toBe(expected);
});

test.each([
	['as a word', 'the key abc is wrong', 'the key [hidden] is wrong'],
	['between signs', '/x?key=ABC&y=abc.', '/x?key=[hidden]&y=[hidden].'],
	['alone', 'abc', '[hidden]'],
	['not within a word', 'abcd 1abc abcé', 'abcd 1abc abcé'],
])('a short secret is hidden %s', (_name, text, expected) => {
	expect(hide(text, 'abc')).toBe(expected);
});

test.each([
	['some characters percent-encoded', 'p@ss!word12', '/webhook/a?secret=p%40ss%21word12'],
	['characters that need no encoding', 'key-for-tests', '?secret=key%2Dfor%2dtests'],
	['spaces as plus signs', 'key for@tests', '?secret=key+for%40tests'],
	['a plus sign as itself', 'key+for@tests', '?secret=key+for%40tests'],
	['plus signs that came in as spaces', 'key+for@tests', 'key for@tests'],
	['a percent-encoding as Latin-1', 'schlüssel', '?secret=schl%FCssel'],
	['a percent-encoding as UTF-8', 'schlüssel@1', '?secret=schl%c3%bcssel@1'],
	['UTF-8 that Node.js has read as Latin-1', 'schlüssel', 'schl\u00c3\u00bcssel'],
	['a percent sign that encodes nothing', 'p@ss!word12', '100%?secret=p%40ss%21word12'],
])('a secret is found with %s', (_how, secret, text) => {
	expect(new Redactor([secret]).isIn(text)).toBe(true);
	expect(new Redactor([`${secret}x`]).isIn(text)).toBe(false);
});

test('of words that are shortened, no part of a secret is left', () => {
	const redactor = new Redactor([KEY, 'k'.repeat(3_000)]);
	for (let length = 900; length < 1_020; length++)
		expect(redactor.shown(`${'x'.repeat(length)} ${KEY} more`)).not.toContain(KEY.slice(0, 2));
	expect(redactor.shown(`It is "${'k'.repeat(3_000)}".`)).toBe(`It is "${HIDDEN}".`);
	expect(redactor.shown('x'.repeat(2_000))).toBe(`${'x'.repeat(1_000)}…`);
});

const secrets = fc.string({
	unit: fc.constantFrom(...'ABCXYZabcxyz0123456789-_.~+/=%"\\&#é '),
	minLength: 8,
	maxLength: 64,
});

/** The ways in which a service may write a secret. */
const WAYS: Array<(secret: string) => string> = [
	(secret) => secret,
	encodeURIComponent,
	(secret) => JSON.stringify(secret).slice(1, -1),
];

test('a secret is found as it is, in an address and in JSON', () => {
	const around = fc.string({ maxLength: 10 });
	fc.assert(
		fc.property(secrets, fc.constantFrom(...WAYS), around, around, (secret, way, ...texts) => {
			const text = `${texts[0]} ${way(secret)} ${texts[1]}`;
			const redactor = new Redactor([secret]);
			expect(redactor.isIn(text)).toBe(true);
			expect(redactor.hide(text)).toContain(HIDDEN);
			expect(redactor.hide(text)).not.toContain(way(secret));
		}),
		{ numRuns: 1_000 },
	);
});
