import { createHmac } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import { callWith, problemWith, refusal, verificationWith } from './call';

const SECRET = 'a-secret-of-32-characters-000001';
const NOW = Date.parse('2026-03-01T12:00:00Z');
const SECONDS = NOW / 1_000;

const bytes = (text: string) => Buffer.from(text);

const MISMATCH = 'the signature does not match: check the webhook secret and "Signed Content"';

const read = (signature: IDataObject, signatureHeader = 'X-Signature') =>
	verificationWith({ verification: 'signature', signatureHeader, signature });

describe('a signature', () => {
	interface Sent {
		signature?: string;
		body?: Buffer;
		timestamp?: string;
		secret?: string;
	}

	const judge = (
		settings: IDataObject,
		{ signature, body = bytes('{"id":1}'), timestamp, secret = SECRET }: Sent,
	) => {
		const headers = { 'x-signature': signature, 'x-timestamp': timestamp };
		return refusal(read(settings), callWith({ headers, rawBody: body }), [secret], NOW);
	};

	const hmac = (content: string | Buffer, key: string | Buffer = SECRET, algorithm = 'sha256') =>
		createHmac(algorithm, key).update(content);

	test.each(['sha1', 'sha256', 'sha512'] as const)(
		'%s in both encodings is let in',
		(algorithm) => {
			for (const encoding of ['hex', 'base64'] as const) {
				const signature = hmac('{"id":1}', SECRET, algorithm).digest(encoding);
				expect(judge({ algorithm, encoding }, { signature })).toBeUndefined();
			}
		},
	);

	test('is what other programs make of the same', () => {
		// RFC 4231, test case 2.
		const signature = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
		const body = bytes('what do ya want for nothing?');
		expect(judge({}, { signature, body, secret: 'Jefe' })).toBeUndefined();
	});

	describe('is made of the bytes of the body as they came', () => {
		const bodies: Array<[string, Buffer]> = [
			['unicode', bytes('{"text":"Grüße 👋 \u2028 שלום"}')],
			['escaped unicode', bytes('{"text":"\\u00fc \\ud83d\\udc4b"}')],
			['odd spacing', bytes(' {\n\t"a" :  1 ,\r\n "b":2 } \n')],
			['duplicate keys', bytes('{"id":1,"id":2}')],
			['numbers that JavaScript would round', bytes('{"id":12345678901234567890.10}')],
			['a byte order mark', bytes('\uFEFF{"id":1}')],
			['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])],
			['nothing', Buffer.alloc(0)],
			['template words', bytes('{body}{timestamp}$&$1')],
		];

		test.each(bodies)('%s', (_what, body) => {
			const signature = hmac(body).digest('hex');
			expect(judge({}, { signature, body })).toBeUndefined();
		});

		test.each([
			['reformatted', '{ "id": 1 }'],
			['with another value', '{"id":2}'],
			['with one more byte', '{"id":1} '],
			['empty', ''],
		])('the same body %s is refused', (_what, body) => {
			const signature = hmac('{"id":1}').digest('hex');
			expect(judge({}, { signature, body: bytes(body) })).toBe(MISMATCH);
		});
	});

	const right = hmac('{"id":1}').digest('hex');

	test.each([
		['no header', undefined],
		['an empty header', ''],
		['a wrong signature', right.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))],
		['a signature cut off', right.slice(0, -1)],
		['a signature with something behind it', `${right}00`],
		['a signature in Base64 where hexadecimal is chosen', hmac('{"id":1}').digest('base64')],
		['a signature with the prefix of another algorithm', `sha1=${right}`],
		['one made with another secret', hmac('{"id":1}', 'other').digest('hex')],
		['one of another algorithm', hmac('{"id":1}', SECRET, 'sha1').digest('hex')],
		['the secret itself', SECRET],
		['several signatures', `${right}, ${right}`],
	])('refuses %s', (_what, signature) => {
		expect(judge({}, { signature })).toEqual(expect.any(String));
	});

	test('takes an empty header for none', () => {
		expect(judge({}, { signature: '' })).toBe(
			'no header "X-Signature"; these headers came: x-signature',
		);
	});

	test('refuses a body that could not be read', () => {
		const headers = { 'x-signature': right };
		const verification = read({});
		expect(refusal(verification, callWith({ headers }), [SECRET], NOW)).toBe(
			'the body cannot be verified',
		);
	});

	test('wants the prefix that is chosen, with a blank behind it or not', () => {
		const settings = { prefix: 'sha256=' };
		expect(judge(settings, { signature: `sha256=${right}` })).toBeUndefined();
		expect(judge({ prefix: 'HMAC' }, { signature: `HMAC ${right}` })).toBeUndefined();
		for (const signature of [right, `SHA256=${right}`, `sha1=${right}`, 'sha256'])
			expect(judge(settings, { signature })).toMatch(/ begins with "sha256="$/);
		expect(judge(settings, { signature: 'sha256=' })).toMatch(
			/is not written as Hexadecimal: check "Encoding" and "Prefix"$/,
		);
	});

	test('takes off the usual prefix where none is set', () => {
		expect(judge({}, { signature: `sha256=${right}` })).toBeUndefined();
		const sha1 = hmac('{"id":1}', SECRET, 'sha1').digest('base64');
		const settings = { algorithm: 'sha1', encoding: 'base64' };
		expect(judge(settings, { signature: `sha1=${sha1}` })).toBeUndefined();
		expect(judge({}, { signature: `v1=${right}` })).toMatch(/check "Encoding" and "Prefix"$/);
	});

	describe('the secret stands for bytes', () => {
		const key = Buffer.from('00ff10203040506070', 'hex');
		const signature = hmac('{"id":1}', key).digest('hex');

		test.each([
			['hex', key.toString('hex')],
			['hex', key.toString('hex').toUpperCase()],
			['base64', key.toString('base64')],
			['base64', key.toString('base64').replace(/=+$/, '')],
			['base64', `whsec_${key.toString('base64')}`],
			['hex', `whsec_${key.toString('hex')}`],
		] as const)('written as %s: %s', (keyFormat, secret) => {
			expect(judge({ keyFormat }, { signature, secret })).toBeUndefined();
			expect(judge({ keyFormat: 'text' }, { signature, secret })).toBe(MISMATCH);
		});

		// Node.js would make an empty key of these, with which everybody can sign.
		test.each([
			['hex', 'xyz'],
			['hex', 'f'],
			['hex', 'ghij'],
			['hex', '00f'],
			['base64', '!'],
			['base64', 'a'],
			['base64', 'not base 64'],
			['base64', 'not_base64-0'],
			['base64', 'whsec_not_base64'],
			['base64', 'whsec_'],
			['base64', '='],
		] as const)('not written as %s lets in nobody: %s', (keyFormat, secret) => {
			for (const forgery of ['', Buffer.from(secret, keyFormat)]) {
				const forged = hmac('{"id":1}', forgery).digest('hex');
				expect(judge({ keyFormat }, { signature: forged, secret })).toMatch(
					/^The webhook secret is not written as (Base64|Hexadecimal): copy it from your service again$/,
				);
			}
			expect(problemWith(read({ keyFormat }), [secret])?.description).toMatch(
				/^Copy it from your service again, .* "Key Format" too\.$/,
			);
		});

		test('an empty secret lets in nobody', () => {
			for (const keyFormat of ['text', 'hex', 'base64'] as const) {
				const forged = hmac('{"id":1}', '').digest('hex');
				const call = callWith({ headers: { 'x-signature': forged }, rawBody: bytes('{"id":1}') });
				expect(refusal(read({ keyFormat }), call, [], NOW)).toMatch(/no webhook secret/);
			}
		});
	});

	describe('with a time', () => {
		const timed = { timestampHeader: 'X-Timestamp', signedContent: '{timestamp}.{body}' };
		const sign = (timestamp: string) => hmac(`${timestamp}.{"id":1}`).digest('hex');
		const at = (timestamp: string, more: IDataObject = {}) =>
			judge({ ...timed, ...more }, { signature: sign(timestamp), timestamp });

		test.each([
			['seconds', String(SECONDS)],
			['seconds with a fraction', `${SECONDS}.25`],
			['milliseconds', String(NOW)],
			['ISO 8601', new Date(NOW).toISOString()],
			['ISO 8601 of another time zone', '2026-03-01T13:00:00+01:00'],
			['ISO 8601 without a zone', '2026-03-01T12:00:00.5'],
			['a date of HTTP', new Date(NOW).toUTCString()],
			['as old as may be', String(SECONDS - 300)],
			['as far ahead as may be', String(SECONDS + 300)],
		])('lets in %s', (_way, timestamp) => {
			expect(at(timestamp)).toBeUndefined();
		});

		test.each([
			['too old, in seconds', String(SECONDS - 301)],
			['too old, in milliseconds', String(NOW - 301_000)],
			['too old, in ISO 8601', new Date(NOW - 301_000).toISOString()],
			['too far ahead', String(SECONDS + 301)],
			['in microseconds', String(NOW * 1_000)],
			['nothing', ''],
			['blanks', '   '],
			['a word', 'now'],
			['a negative number', String(-SECONDS)],
			['not a number', 'NaN'],
			['infinity', 'Infinity'],
			['a number without an end', '9'.repeat(400)],
			['hexadecimal', `0x${SECONDS.toString(16)}`],
		])('refuses what is %s', (_way, timestamp) => {
			expect(at(timestamp)).toMatch(
				/^(no header|this is no time|it was sent \d+ seconds ago|its time is \d+ seconds ahead)/,
			);
		});

		test('refuses a call without a time, and one with several', () => {
			expect(judge(timed, { signature: sign('') })).toBe(
				'no header "X-Timestamp"; these headers came: x-signature',
			);
			const times = `${SECONDS}, ${SECONDS}`;
			expect(judge(timed, { signature: sign(times), timestamp: times })).toBe(
				`this is no time: "${times}"`,
			);
		});

		test('signs what the template says, each word in its place and as often as it stands there', () => {
			const timestamp = String(SECONDS);
			const contents: Array<[string, string]> = [
				['{timestamp}.{body}', `${timestamp}.{"id":1}`],
				['{body}.{timestamp}', `{"id":1}.${timestamp}`],
				['v0:{timestamp}:{body}', `v0:${timestamp}:{"id":1}`],
				['{body}', '{"id":1}'],
				['{body}{body}', '{"id":1}{"id":1}'],
				['{ body {body}', '{ body {"id":1}'],
				['{body}\\n{timestamp}', `{"id":1}\n${timestamp}`],
			];
			for (const [signedContent, content] of contents) {
				const signature = hmac(content).digest('hex');
				expect(judge({ ...timed, signedContent }, { signature, timestamp })).toBeUndefined();
			}
		});
	});
});
