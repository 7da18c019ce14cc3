/** What the settings of a signature let in and refuse. */
import { createHash, createHmac } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import type { IncomingCall } from '../../../../nodes/MessagingService/trigger/verification/incomingCall';
import { ADDRESS, callWith, refusal, verificationWith } from './incomingCall';

const SECRET = 'a-secret-of-32-characters-000001';
const BODY = '{"id":1}';
const NOW = Date.parse('2026-03-01T12:00:00Z');
const SECONDS = NOW / 1_000;
const MISMATCH = 'the signature does not match: check the webhook secret and "Signature Settings"';

const hmac = (content: string | Buffer, algorithm = 'sha256', key = SECRET) =>
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
	for (const encoding of ['hex', 'base64', 'base64url'] as const) {
		const settings = { algorithm, encoding: encoding.replace('url', '') };
		expect(judge(settings, hmac(BODY, algorithm).digest(encoding))).toBeUndefined();
	}
});

test.each<[string, string | Buffer]>([
	['unicode', '{"text":"Grüße 👋 \u2028 שלום"}'],
	['a byte order mark', '\uFEFF{"id":1}'],
	['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])],
	['nothing', ''],
	['template words', '{body}{timestamp}$&$1'],
])('is made of the bytes of the body as they came: %s', (_what, body) => {
	expect(judge({}, hex(body), { rawBody: Buffer.from(body) })).toBeUndefined();
	expect(judge({}, right, { rawBody: Buffer.from(body) })).toBe(MISMATCH);
});

test.each<[string, string | undefined, RegExp]>([
	[
		'no header',
		undefined,
		/^no header "X-Signature"; other headers that came: only the usual ones$/,
	],
	['an empty header', '', /^the header "X-Signature" is empty$/],
	['a signature cut off', right.slice(0, -1), /is not written as Hexadecimal: check "Encoding"/],
	['Base64 instead of hexadecimal', hmac(BODY).digest('base64'), /check "Encoding" and "Prefix"$/],
	['the prefix of another algorithm', `sha1=${right}`, /check "Encoding" and "Prefix"$/],
	['several signatures', `${right}, ${right}`, /is not written as Hexadecimal/],
])('refuses %s', (_what, header, reason) => {
	expect(judge({}, header)).toMatch(reason);
});

test('refuses a body that could not be read', () => {
	expect(judge({}, right, { rawBody: undefined })).toBe('the body cannot be verified');
});

test('wants the prefix that is set, and takes off the usual one where none is', () => {
	const settings = { prefix: 'sha256=' };
	expect(judge(settings, `sha256=${right}`)).toBeUndefined();
	expect(judge({ prefix: 'HMAC' }, `HMAC ${right}`)).toBeUndefined();
	for (const header of [right, `SHA256=${right}`, `sha1=${right}`])
		expect(judge(settings, header)).toMatch(/ begins with "sha256="$/);
	expect(judge({}, `sha256=${right}`)).toBeUndefined();
	const sha1 = hmac(BODY, 'sha1').digest('base64');
	expect(judge({ algorithm: 'sha1', encoding: 'base64' }, `sha1=${sha1}`)).toBeUndefined();
});

describe('with a time', () => {
	const timed = { timestampHeader: 'X-Timestamp', signedContent: '{timestamp}.{body}' };
	const at = (timestamp: string) =>
		judge(timed, hex(`${timestamp}.${BODY}`), { headers: { 'x-timestamp': timestamp } });

	test.each([
		['seconds', `${SECONDS}.25`],
		['milliseconds', String(NOW)],
		['ISO 8601', '2026-03-01T13:00:00+01:00'],
		['ISO 8601 without a zone', '2026-03-01T12:00:00.5'],
		['a date of HTTP', new Date(NOW).toUTCString()],
	])('lets in %s', (_way, timestamp) => {
		expect(at(timestamp)).toBeUndefined();
	});

	test.each([
		[
			'too old, in milliseconds',
			String(NOW - 300_001),
			/^it was sent 301 seconds \(5\.0 minutes\) ago/,
		],
		['a word', 'now', /^this is no time: "now"$/],
		['a number without an end', '9'.repeat(400), /^this is no time/],
		['several', `${SECONDS}, ${SECONDS}`, /^this is no time/],
		['no text', '<a\u001b>', /^this is no time: "<a\?>"$/],
	])('refuses what is %s', (_way, timestamp, reason) => {
		expect(at(timestamp)).toMatch(reason);
	});
});

describe('several signatures', () => {
	const wrong = hex('other');
	const settings = { separator: 'comma', prefix: 'v1=' };

	test('divided as it is set: any one may match', () => {
		const header = ['v0=x', `v1=${wrong}`, `v1=${right}`].join(' , ');
		expect(judge(settings, header)).toBeUndefined();
		expect(judge(settings, header.replace(right, wrong))).toBe(MISMATCH);
		expect(judge({ ...settings, separator: 'none' }, header)).toBe(
			'no part of the header "X-Signature" begins with "v1="',
		);
	});

	test('may have the time beside them', () => {
		const timed = { ...settings, timestampPrefix: 't=', signedContent: '{timestamp}.{body}' };
		const signed = `v1=${hex(`${SECONDS}.${BODY}`)}`;
		expect(judge(timed, `t=${SECONDS},${signed}`)).toBeUndefined();
		expect(judge(timed, `${signed}, t= ${SECONDS}`)).toBeUndefined();
		expect(judge(timed, `t=${SECONDS + 1},${signed}`)).toBe(MISMATCH);
		expect(judge({ ...timed, tolerance: 10 }, `t=${SECONDS - 11},${signed}`)).toBe(
			'it was sent 11 seconds (0.2 minutes) ago, and "Tolerance" in "Signature Settings" is 10: is the clock of n8n right?',
		);
		expect(judge(timed, signed)).toBe('no part of the header "X-Signature" begins with "t="');
	});
});

describe('a placeholder stands for', () => {
	const query = '?b=2&a=1%202&b=1&c=%C3%BC';

	test.each([
		['{query}{body}', `a=1+2&b=2&b=1&c=%C3%BC${BODY}`],
		['{url}\\n{header:x-nonce}{body}', `${ADDRESS}${query}\nn${BODY}`],
		['{ body {body}{body}', `{ body ${BODY}${BODY}`],
	])('%s', (signedContent, content) => {
		const call = { originalUrl: `/webhook/1/webhook${query}`, headers: { 'x-nonce': 'n' } };
		expect(judge({ signedContent }, hex(content), call)).toBeUndefined();
		expect(judge({ signedContent }, hex(`${content}x`), call)).toMatch(/not match/);
	});

	test.each([
		['{header:X-Nonce}{body}', 'no header "X-Nonce"; other headers that came: x-signature'],
		['{id}{body}', 'no header "webhook-id"; other headers that came: x-signature'],
	])('nothing that is missing: %s', (signedContent, reason) => {
		expect(judge({ signedContent }, right)).toBe(reason);
	});

	test('the address that is set, and else none that n8n does not know', () => {
		const signedContent = '{url}{body}';
		const publicUrl = 'https://u:p@hooks.example.com/sms';
		const call = { address: () => undefined, originalUrl: '/webhook/1?a=1' };
		expect(judge({ signedContent }, right, call)).toBe(
			'n8n does not know the address of this trigger: set "Public URL"',
		);
		const signed = hex(`${publicUrl}?a=1${BODY}`);
		expect(judge({ signedContent, publicUrl }, signed, call)).toBeUndefined();
		expect(judge({ signedContent, publicUrl: `${publicUrl}/` }, signed, call)).toBe(
			`${MISMATCH} and the address, which is https://hooks.example.com/sms/ to this trigger`,
		);
	});
});

describe('the fields of a form', () => {
	const signedContent = '{fields}';
	const form = (
		body: string,
		type = 'application/x-www-form-urlencoded',
	): Partial<IncomingCall> => ({
		headers: { 'content-type': type },
		rawBody: Buffer.from(body),
	});
	const NO_FORM = 'the body is no form, and no signed query parameter "bodySHA256" covers it';

	test('are sorted by name and value, each once', () => {
		const call = form('a=1&B=2&a=&a=1&%C3%BC=%2B+x');
		expect(judge({ signedContent }, hex('B2aa1ü+ x'), call)).toBeUndefined();
	});

	test('are not taken from a body of another type, whose digest may be signed instead', () => {
		const digest = createHash('sha256').update('a=1').digest('hex');
		for (const type of ['application/json', 'multipart/form-data', '']) {
			const call = { ...form('a=1', type), originalUrl: `/w?bodySHA256=${digest}` };
			expect(judge({ signedContent }, hex('a1'), call)).toBe(NO_FORM);
			expect(judge({ signedContent }, hex(''), call)).toBe(NO_FORM);
			const signed = hex(`bodySHA256=${digest}`);
			const settings = { signedContent: '{query}{fields}' };
			expect(judge(settings, signed, call)).toBeUndefined();
			// An empty form would add nothing to the signed content either.
			for (const other of ['a=2', ''])
				expect(judge(settings, signed, { ...call, rawBody: Buffer.from(other) })).toBe(
					'the query parameter "bodySHA256" is that of another body',
				);
		}
	});
});

test('the previous secret is accepted beside the current one, and ignored if it cannot be read', () => {
	expect(judge({}, right, {}, ['new', SECRET])).toBeUndefined();
	expect(judge({}, right, {}, [SECRET, 'old'])).toBeUndefined();
	expect(judge({}, right, {}, ['new', 'old'])).toBe(MISMATCH);
	const key = Buffer.from('00ff', 'hex');
	const signed = createHmac('sha256', key).update(BODY).digest('hex');
	expect(judge({ keyFormat: 'hex' }, signed, {}, ['00ff', 'no hex'])).toBeUndefined();
});
