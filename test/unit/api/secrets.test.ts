import fc from 'fast-check';
import { redact } from '../../../nodes/MessagingService/api/secrets';

test.each([
	['nothing by an empty secret', 'all of it', [''], 'all of it'],
	[
		'every secret, wherever it stands',
		'a-key b-key a-key',
		['a-key', 'b-key'],
		'[hidden] [hidden] [hidden]',
	],
	['one that means something in a replacement', '$&$1', ['$&'], '[hidden]$1'],
	['one as JSON writes it', String.raw`"a\"b\\c"`, [String.raw`a"b\c`], '"[hidden]"'],
	['one as an address writes it', '?q=a%2Fb%20c', ['a/b c'], '?q=[hidden]'],
])('hides %s', (_name, text, secrets, expected) => {
	expect(redact(text, secrets)).toBe(expected);
});

test('leaves nothing of a secret in any text', () => {
	// The word in its place may contain very short ones.
	const secrets = fc.string({ minLength: 9, unit: 'grapheme-ascii' });
	fc.assert(
		fc.property(fc.string(), secrets, fc.string(), (before, secret, after) => {
			expect(redact(before + secret + after, [secret])).not.toContain(secret);
		}),
		{ numRuns: 500 },
	);
});
