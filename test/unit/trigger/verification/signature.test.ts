/** What the settings of a signature let in and refuse. */
import { createHmac } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import type { IncomingCall } from '../../../../nodes/MessagingService/trigger/verification/call';
import { callWith, refusal, verificationWith } from './call';

const SECRET = 'a-secret-of-32-characters-000001';
const BODY = '{"id":1}';
const NOW = Date.parse('2026-03-01T12:00:00Z');
const SECONDS = NOW / 1_000;
const MISMATCH =
	'the signature does not match: check the webhook secret and, if "Scheme" is "Custom", "Signature Settings"';

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
	[
		'a signature cut off',
		right.slice(0, -1),
		/is not written as Hexadecimal: check "Signature Settings"$/,
	],
	['Base64 instead of hexadecimal', hmac(BODY).digest('base64'), /check "Signature Settings"$/],
	['a prefix that is not set', `sha256=${right}`, /check "Signature Settings"$/],
	['several signatures', `${right}, ${right}`, /is not written as Hexadecimal/],
])('refuses %s', (_what, header, reason) => {
	expect(judge({}, header)).toMatch(reason);
});

test('refuses a body that could not be read', () => {
	expect(judge({}, right, { rawBody: undefined })).toBe(
		'the body cannot be read, so its signature cannot be verified',
	);
});

test('wants the prefix that is set', () => {
	const settings = { prefix: 'sha256=' };
	expect(judge(settings, `sha256=${right}`)).toBeUndefined();
	expect(judge({ prefix: 'HMAC' }, `HMAC ${right}`)).toBeUndefined();
	for (const header of [right, `SHA256=${right}`, `sha1=${right}`])
		expect(judge(settings, header)).toMatch(/ begins with "sha256="$/);
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
		['too old, in milliseconds', String(NOW - 300_001), /^it was sent 301 seconds ago/],
		['a word', 'now', /^this is no time: "now"$/],
		['a number without an end', '9'.repeat(400), /^this is no time/],
		['several', `${SECONDS}, ${SECONDS}`, /^this is no time/],
		['no text', '<a\u001b>', /^this is no time: "<a\?>"$/],
	])('refuses what is %s', (_way, timestamp, reason) => {
		expect(at(timestamp)).toMatch(reason);
	});
});

describe('with nothing between the time and the body', () => {
	const timed = { timestampHeader: 'X-Timestamp', signedContent: '{timestamp}{body}' };
	/** Why a call is refused that was signed as one text, and came as these two. */
	const divided = (timestamp: string, body: string) =>
		judge(timed, hex(timestamp + body), {
			headers: { 'x-timestamp': timestamp },
			rawBody: Buffer.from(body),
		});

	test.each([
		['2026-03-01T12:00:00', `Z${BODY}`],
		['2026-03-01T12:00', `:00Z${BODY}`],
		['2026-03-01T12:00:00', `+00:00${BODY}`],
		[`${SECONDS}`, `.25${BODY}`],
		['Sun, 01 Mar 2026 12:00:00', ` GMT${BODY}`],
		['Sun Mar 01 2026 12:00:00 GMT+0000', ` (UTC)${BODY}`],
	])('the end of the time cannot move into the body: %s %s', (timestamp, body) => {
		expect(divided(timestamp, body)).toMatch(/^the body has to begin with a bracket/);
	});

	test.each([BODY, ` [${BODY}]`, '<a/>', '"a"'])('lets in %s', (body) => {
		expect(divided('2026-03-01T12:00:00Z', body)).toBeUndefined();
	});

	test('any other body is let in where something separates the two', () => {
		const call = { headers: { 'x-timestamp': `${SECONDS}` }, rawBody: Buffer.from('token=1') };
		const settings = { ...timed, signedContent: 'v0:{timestamp}:{body}' };
		expect(judge(settings, hex(`v0:${SECONDS}:token=1`), call)).toBeUndefined();
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
});

describe('a placeholder stands for', () => {
	test.each([
		['{id}\\n{header:x-nonce}{body}', `m\nn${BODY}`],
		['{ body {body}{body}', `{ body ${BODY}${BODY}`],
	])('%s', (signedContent, content) => {
		const call = { headers: { 'webhook-id': 'm', 'x-nonce': 'n' } };
		expect(judge({ signedContent }, hex(content), call)).toBeUndefined();
		expect(judge({ signedContent }, hex(`${content}x`), call)).toMatch(/not match/);
	});

	test.each([
		['{header:X-Nonce}{body}', 'no header "X-Nonce"; other headers that came: x-signature'],
		['{id}{body}', 'no header "webhook-id"; other headers that came: x-signature'],
	])('nothing that is missing: %s', (signedContent, reason) => {
		expect(judge({ signedContent }, right)).toBe(reason);
	});
});

test.each<[IDataObject, string[]]>([
	[{}, []],
	[{ signedContent: '{id}.{body}' }, ['webhook-id', 'svix-id']],
	[{ signedContent: '{header:X-Event-ID}{body}' }, ['x-event-id']],
])('by %j, nobody else can change the headers %j', (signature, headers) => {
	const { signedHeaders } = verificationWith({ verification: 'signature', signature });
	expect(signedHeaders).toEqual(headers);
});

test('the previous secret is accepted beside the current one, and ignored if it cannot be read', () => {
	expect(judge({}, right, {}, ['new', SECRET])).toBeUndefined();
	expect(judge({}, right, {}, [SECRET, 'old'])).toBeUndefined();
	expect(judge({}, right, {}, ['new', 'old'])).toBe(MISMATCH);
	const key = Buffer.from('00ff', 'hex');
	const signed = createHmac('sha256', key).update(BODY).digest('hex');
	expect(judge({ keyFormat: 'hex' }, signed, {}, ['00ff', 'no hex'])).toBeUndefined();
});
