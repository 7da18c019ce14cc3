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

const NO_TIME = /^this is no whole number and no date with a time zone/;

describe('with a time', () => {
	const timed = { timestampHeader: 'X-Timestamp', signedContent: '{timestamp}.{body}' };
	const at = (timestamp: string) =>
		judge(timed, hex(`${timestamp}.${BODY}`), { headers: { 'x-timestamp': timestamp } });

	test.each([
		['seconds', String(SECONDS)],
		['milliseconds', String(NOW)],
		['ISO 8601', '2026-03-01T13:00:00+01:00'],
		['ISO 8601 in UTC', '2026-03-01T12:00:00.5Z'],
		['a date of HTTP', new Date(NOW).toUTCString()],
	])('lets in %s', (_way, timestamp) => {
		expect(at(timestamp)).toBeUndefined();
	});

	test.each([
		['too old, in milliseconds', String(NOW - 300_001), /^it was sent 301 seconds ago/],
		['a word', 'now', /^this is no whole number and no date with a time zone: "now"$/],
		['a number without an end', '9'.repeat(400), NO_TIME],
		['several', `${SECONDS}, ${SECONDS}`, NO_TIME],
		['no text', '<a\u001b>', /: "<a\?>"$/],
	])('refuses what is %s', (_way, timestamp, reason) => {
		expect(at(timestamp)).toMatch(reason);
	});
});

describe('the end of the time cannot move into the body', () => {
	/** Why a call is refused whose time and body were signed with this between them. */
	const divided = (between: string, timestamp: string, body: string) =>
		judge(
			{ timestampHeader: 'X-Timestamp', signedContent: `{timestamp}${between}{body}` },
			hex(timestamp + between + body),
			{ headers: { 'x-timestamp': timestamp }, rawBody: Buffer.from(body) },
		);

	test.each([
		['', '2026-03-01T12:00:00', `Z${BODY}`],
		['', '2026-03-01T12:00:00', `+00:00${BODY}`],
		['', 'Sun, 01 Mar 2026 12:00:00', ` GMT${BODY}`],
		['.', '2026-03-01T12:00:00', `000+05:00.${BODY}`],
		[':', '2026-03-01T12:00', `00Z:${BODY}`],
		['.', `${SECONDS}.25`, BODY],
	])('with "%s" between them: %s %s', (between, timestamp, body) => {
		expect(divided(between, timestamp, body)).toMatch(NO_TIME);
	});

	test('with nothing between them: the last digits of milliseconds', () => {
		expect(divided('', `${SECONDS}`, `000${BODY}`)).toMatch(/^the body begins with a digit/);
		expect(divided('', `${SECONDS}000`, BODY)).toBeUndefined();
		expect(divided(':', `${SECONDS}`, '12')).toBeUndefined();
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
