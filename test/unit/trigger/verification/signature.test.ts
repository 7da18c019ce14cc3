/** What the settings of a signature let in and refuse. */
import { createHmac } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import type { IncomingCall } from '../../../../nodes/MessagingService/trigger/verification/call';
import { callWith, problemWith, refusal, verificationWith } from './call';

const SECRET = 'a-secret-of-32-characters-000001';
const BODY = '{"id":1}';
const NOW = Date.parse('2026-03-01T12:00:00Z');
const SECONDS = NOW / 1_000;
const MISMATCH =
	'the signature does not match: check the webhook secret and, if "Scheme" is "Custom", "Signature Settings"';

const hmac = (content: string | Buffer, algorithm = 'sha256', key: string | Buffer = SECRET) =>
	createHmac(algorithm, key).update(content);
const hex = (content: string | Buffer) => hmac(content).digest('hex');
const right = hex(BODY);

/** Why a call with this in its signature header is refused. */
function judge(
	signature: IDataObject,
	header: string | undefined,
	{ headers, ...more }: Partial<IncomingCall> = {},
	secrets = [SECRET],
) {
	const verification = verificationWith({ verification: 'signature', signature });
	const call = callWith({
		rawBody: Buffer.from(BODY),
		...more,
		headers: { 'x-signature': header, ...headers },
	});
	return refusal(verification, call, secrets, NOW);
}

test.each(['sha1', 'sha256', 'sha512'])('%s is let in, in both encodings', (algorithm) => {
	for (const encoding of ['hex', 'base64'] as const)
		expect(judge({ algorithm, encoding }, hmac(BODY, algorithm).digest(encoding))).toBeUndefined();
});

test.each<[string, string | Buffer]>([
	['a byte order mark', '\uFEFF{"id":1}'],
	['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])],
	['nothing', ''],
	['template words', '{body}{timestamp}$&$1'],
])('is made of the bytes of the body as they came: %s', (_what, body) => {
	expect(judge({}, hex(body), { rawBody: Buffer.from(body) })).toBeUndefined();
	expect(judge({}, right, { rawBody: Buffer.from(body) })).toBe(MISMATCH);
});

const NOT_HEX = /is not written as Hexadecimal: check "Signature Settings"$/;

test.each<[string, string | undefined, RegExp]>([
	['no header', undefined, /^no header "X-Signature"; .* received: only the usual ones$/],
	['an empty header', '', /^no header "X-Signature"; .* received: x-signature \(empty\)$/],
	['a signature cut off', right.slice(0, -1), NOT_HEX],
	['Base64 instead of hexadecimal', hmac(BODY).digest('base64'), NOT_HEX],
	['a prefix that is not set', `sha256=${right}`, NOT_HEX],
	['several signatures', `${right}, ${right}`, NOT_HEX],
])('refuses %s', (_what, header, reason) => {
	expect(judge({}, header)).toMatch(reason);
});

test('headers are signed as the bytes that came', () => {
	// Node.js gives the bytes of "é" as two characters.
	const header = Buffer.from('é').toString('latin1');
	const signedContent = '{header:x-name}.{body}';
	const call = { headers: { 'x-name': header } };
	expect(judge({ signedContent }, hex(`é.${BODY}`), call)).toBeUndefined();
});

test('refuses a body that could not be read', () => {
	expect(judge({}, right, { rawBody: undefined })).toBe(
		'the body cannot be read, so its signature cannot be verified',
	);
});

test('wants the prefix that is set; of several signatures any one may match', () => {
	const prefix = 'v1=';
	expect(judge({ prefix }, `v1= ${right}`)).toBeUndefined();
	for (const header of [right, `V1=${right}`, `v2=${right}`])
		expect(judge({ prefix }, header)).toMatch(/^no part of the header .* begins with "v1="$/);

	const header = ['v0=x', `v1=${hex('other')}`, `v1=${right}`].join(' , ');
	expect(judge({ prefix, separator: 'comma' }, header)).toBeUndefined();
	expect(judge({ prefix, separator: 'comma' }, header.replace(right, hex('b')))).toBe(MISMATCH);
	expect(judge({ prefix }, header)).toMatch(/begins with "v1="$/);
});

describe('the time', () => {
	/** Why a call is refused whose time and body were signed with this between them. */
	const at = (timestamp: string, body = BODY, between = '.') =>
		judge(
			{ timestampHeader: 'X-Timestamp', signedContent: `{timestamp}${between}{body}` },
			hex(timestamp + between + body),
			{ headers: { 'x-timestamp': timestamp }, rawBody: Buffer.from(body) },
		);

	test.each([
		['in seconds', String(SECONDS)],
		['in milliseconds', String(NOW)],
		['as a date', '2026-03-01T13:00:00+01:00'],
		['as a date in UTC', '2026-03-01T12:00:00.5Z'],
		['as a date of HTTP', new Date(NOW).toUTCString()],
	])('may be written %s', (_way, timestamp) => {
		expect(at(timestamp)).toBeUndefined();
	});

	test.each([
		[String(NOW - 300_001), /^it was sent 301 seconds ago/],
		['now', /^the time is neither a whole number nor a date with a time zone: "now"$/],
		['9'.repeat(400), /^the time is neither/],
		[`${SECONDS}, ${SECONDS}`, /^the time is neither/],
		['<a\u001b>', /: "<a\?>"$/],
	])('may not be %s', (timestamp, reason) => {
		expect(at(timestamp)).toMatch(reason);
	});

	test.each([
		['2026-03-01T12:00:00', `Z${BODY}`, ''],
		['2026-03-01T12:00:00', `+00:00${BODY}`, ''],
		['Sun, 01 Mar 2026 12:00:00', ` GMT${BODY}`, ''],
		['Sun, 01 Mar 2026 11:00:00 GMT-0100', BODY, ''],
		['Sun, 01 Mar 2026 11:00:00 GMT.-0100', BODY, '.'],
		[`0${SECONDS}`, BODY, '.'],
		['2026-03-01T12:00:00', `000+05:00.${BODY}`, '.'],
		[`${SECONDS}.25`, BODY, '.'],
	])('cannot have its end in the body: %s %s', (timestamp, body, between) => {
		expect(at(timestamp, body, between)).toMatch(/^the time is neither/);
	});

	test('cannot have the end of its milliseconds in the body', () => {
		expect(at(`${SECONDS}`, `000${BODY}`, '')).toMatch(/^the body has a digit beside the time/);
		expect(at(`${SECONDS}000`, BODY, '')).toBeUndefined();
		const [signedContent, timestampHeader] = ['{body}{timestamp}', 'x-timestamp'];
		const after = { headers: { [timestampHeader]: `${SECONDS}` }, rawBody: Buffer.from('a=1') };
		expect(judge({ signedContent, timestampHeader }, hex(`a=1${SECONDS}`), after)).toMatch(
			/^the body has a digit beside the time/,
		);
		expect(at(`${SECONDS}`, '12', ':')).toBeUndefined();
	});
});

test.each([
	['{id}\\n{header:x-nonce}{body}', `m\nn${BODY}`],
	['{ body {body}{body}', `{ body ${BODY}${BODY}`],
])('is made of %s', (signedContent, content) => {
	const call = { headers: { 'webhook-id': 'm', 'x-nonce': 'n' } };
	expect(judge({ signedContent }, hex(content), call)).toBeUndefined();
	expect(judge({ signedContent }, hex(`${content}x`), call)).toBe(MISMATCH);
});

test.each(['{header: webhook-id }{body}', '{id}{body}'])(
	'wants the header in %s',
	(signedContent) => {
		expect(judge({ signedContent }, right)).toBe(
			'no header "webhook-id"; other headers received: x-signature',
		);
	},
);

test.each([
	['{id}.{body}', `m.1.${BODY}`],
	['{body}.{id}', `${BODY}.m.1`],
])('a header may not contain what divides it from the rest: %s', (signedContent, content) => {
	expect(judge({ signedContent }, hex(content), { headers: { 'webhook-id': 'm.1' } })).toBe(
		'the header "webhook-id" contains ".", which divides the parts of what is signed',
	);
});

test('the previous secret is accepted beside the current one', () => {
	expect(judge({}, right, {}, ['new', SECRET])).toBeUndefined();
	expect(judge({}, right, {}, [SECRET, 'old'])).toBeUndefined();
	expect(judge({}, right, {}, ['new', 'old'])).toBe(MISMATCH);
	const signed = hmac(BODY, 'sha256', Buffer.from('00ff', 'hex')).digest('hex');
	expect(judge({ keyFormat: 'hex' }, signed, {}, ['00ff', 'no hex'])).toBeUndefined();
});

const KEY = Buffer.from('00ff10203040506070', 'hex');

test.each([
	['hex', KEY.toString('hex').toUpperCase()],
	['hex', `whsec_${KEY.toString('hex')}`],
	['base64', KEY.toString('base64')],
	['base64', `v1,whsec_${KEY.toString('base64').replace(/=+$/, '')}`],
])('a secret as %s stands for bytes, and as text for itself: %s', (keyFormat, secret) => {
	const [byBytes, byText] = [KEY, secret].map((key) => hmac(BODY, 'sha256', key).digest('hex'));
	expect(judge({ keyFormat }, byBytes, {}, [secret])).toBeUndefined();
	expect(judge({ keyFormat: 'text' }, byText, {}, [secret])).toBeUndefined();
	expect(judge({ keyFormat: 'text' }, byBytes, {}, [secret])).toBe(MISMATCH);
});

// Node.js would make an empty key of some of these, with which everybody can sign.
test.each([
	...['xyz', 'f', '00f', ''].map((digits) => ['hex', digits] as const),
	...['!', 'a', '=', '', 'not base 64', 'not_base64-0', 'YWJj\nZGVm'].map(
		(digits) => ['base64', digits] as const,
	),
])('a secret that is not written as %s lets in nobody: %j', (keyFormat, digits) => {
	const secret = `whsec_${digits}`;
	const words = /^The webhook secret in the credential is not written as (Base64|Hexadecimal): /;
	for (const forgery of ['', Buffer.from(digits, keyFormat), Buffer.from(secret, keyFormat)])
		expect(judge({ keyFormat }, hmac(BODY, 'sha256', forgery).digest('hex'), {}, [secret])).toMatch(
			words,
		);
	const verification = verificationWith({ verification: 'signature', signature: { keyFormat } });
	expect(problemWith(verification, [secret])).toMatch(words);
	expect(problemWith(verification, ['00ff', secret])).toMatch(words);
});
