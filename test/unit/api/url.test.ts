import fc from 'fast-check';
import { buildUrl, parseBaseUrl, path, resolveLink } from '../../../nodes/MessagingService/api/url';

describe('parseBaseUrl', () => {
	const HOST = 'https://messaging.example.com';
	const WEBHOOK = '/public/pipelines/webhook/123e4567-e89b-12d3-a456-426614174000';

	test.each([
		[HOST, HOST, ''],
		[`  ${HOST} \n`, HOST, ''],
		[`\u200b${HOST}`, HOST, ''],
		['messaging.example.com', HOST, ''],
		['messaging.example.com:8443/api/', `${HOST}:8443`, '/api'],
		// The scheme is never taken for a host.
		['//messaging.example.com', HOST, ''],
		['HTTP://Messaging.Example.com', 'http://messaging.example.com', ''],
		['http://[::1]:5000/x', 'http://[::1]:5000', '/x'],
		['https://bücher.example.com', 'https://xn--bcher-kva.example.com', ''],
		[`${HOST}/a${WEBHOOK}`, HOST, '/a'],
		[`${HOST}/public/pipelines/webhook/123?a=1#b`, HOST, ''],
		[`${HOST}/public/`, HOST, ''],
		[`${HOST}/public/pipelines/webhooks`, HOST, '/public/pipelines/webhooks'],
	])('takes %j', (value, origin, prefix) => {
		expect(parseBaseUrl(value)).toEqual({ origin, href: origin + prefix });
	});

	test.each([
		['', /is empty/],
		['https://', /not a web address/],
		['https://messaging example.com', /not a web address/],
		// Of these, the key would go to a host called "https".
		['https:/messaging.example.com', /not a web address/],
		['http//messaging.example.com', /not a web address/],
		['https;//messaging.example.com', /not a web address/],
		['ht\u200btp\u200b//messaging.example.com', /not a web address/],
		['\u04bbttp://messaging.example.com', /not a web address/],
		['http:8080', /not a web address/],
		['https://https://messaging.example.com', /not a web address/],
		['HTTPS://http:messaging.example.com', /not a web address/],
		['mailto:ada@example.com', /user name/],
		['ftp://messaging.example.com', /not a web address/],
		['https://ada:secret@messaging.example.com', /contains a user name/],
		['https://messaging.example.com/?team=1', /a "\?" or a "#"/],
	])('refuses %j and says why', (value, message) => {
		expect(parseBaseUrl(value)).toMatch(message);
	});
});

const BASES = [
	'https://messaging.example.com',
	'https://messaging.example.com/api/v2/',
	'http://[::1]:3000/a%20b',
	'bücher.example.com//x',
]
	.map(parseBaseUrl)
	.filter((base) => typeof base !== 'string');

/** Every kind of text: emoji, halves of surrogate pairs, and what has a meaning in an address. */
const anyText = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.string({ unit: 'grapheme' }),
	fc
		.array(fc.constantFrom('/', '..', '.', '%', '%2e', '%2F', '?', '#', '\\', '@', ':', ' ', 'a'))
		.map((parts) => parts.join('')),
	fc.array(fc.integer({ min: 0xd7f0, max: 0xe00f })).map((units) => String.fromCharCode(...units)),
);

test('a path keeps every value in its own segment below the prefix of the base', () => {
	fc.assert(
		fc.property(fc.constantFrom(...BASES), anyText, anyText, (base, first, second) => {
			fc.pre(first !== '' && second !== '');
			const url = new URL(buildUrl(base, path`/public/${first}/versions/${second}`));
			const prefix = new URL(base.href).pathname.replace(/\/$/, '');
			expect(url.origin).toBe(base.origin);
			expect(url.pathname.startsWith(`${prefix}/public/`)).toBe(true);
			const segments = url.pathname.slice(prefix.length + 1).split('/');
			expect(segments).toHaveLength(4);
			expect([segments[1], segments[3]].map(decodeURIComponent)).toEqual(
				[first, second].map(asDecoded),
			);
		}),
		{ numRuns: 2_000 },
	);
});

/** A dot segment cannot be written in an address, so it becomes a name that no service knows. */
function asDecoded(value: string): string {
	return /^\.{1,2}$/.test(value) ? value.replaceAll('.', '%2E') : value.toWellFormed();
}

const FROM = 'https://messaging.example.com/api/public/messages';

test.each([
	['?page=2', 'https://messaging.example.com/api/public/messages?page=2'],
	['messages?page=2', 'https://messaging.example.com/api/public/messages?page=2'],
	['/public/messages?page=2', 'https://messaging.example.com/public/messages?page=2'],
	['//other.example.com/x', 'https://other.example.com/x'],
	// A service behind a proxy may not know that it is called by https.
	['http://messaging.example.com/x', 'https://messaging.example.com/x'],
	['http://other.example.com/x', 'http://other.example.com/x'],
	['  ', undefined],
	['https://[', undefined],
])('the link %j leads to %j', (link, address) => {
	expect(resolveLink(link, FROM)?.href).toBe(address);
});
