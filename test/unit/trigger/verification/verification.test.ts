/** What the settings of the panel let in and refuse. */
import { createHmac } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import type { IncomingCall } from '../../../../nodes/MessagingService/trigger/verification/call';
import { failureOf } from '../../helpers/parameters';
import { settingsWith, verifierWith } from '../panel';

const SECRET = 'a-secret-of-32-characters-000001';
const BODY = '{"id":1}';
const NOW = Date.parse('2026-03-01T12:00:00Z');
const SECONDS = NOW / 1_000;

const signature = { verification: 'signature' };
const standardWebhooks = { ...signature, scheme: 'standardWebhooks' };

test('what cannot be used is refused before any call comes', () => {
	const problemWith = (parameters: IDataObject, secrets = [SECRET]) =>
		failureOf(() => settingsWith(parameters, secrets)).message;
	const content = (signedContent: string, timestampHeader = '') =>
		problemWith({ ...signature, signedContent, timestampHeader });
	for (const wrong of ['{timestamp}', '{Body}', '{body}{id}', '{body}{body}', '{timestamp}.{body}'])
		expect(content(wrong)).toBe('"Signed Content" has to have {body} once, and no more');
	for (const wrong of ['{body}', '{timestamp}{timestamp}{body}'])
		expect(content(wrong, 'X-Time')).toMatch(/ has to have \{body\} and \{timestamp\} once, /);
	expect(problemWith({ ...signature, tolerance: -1 })).toMatch(/^"Tolerance" has to be a whole/);
	for (const parameters of [{}, signature, standardWebhooks])
		expect(problemWith(parameters, [])).toMatch(/^Enter a "Webhook Secret" in the credential/);
	for (const key of ['whpk_MCow', 'whsec_', 'no base 64', 'not_base64-0', 'whsec_A=B', 'AAAAA'])
		for (const secrets of [[key], ['MfKQ9r8G', key]])
			expect(problemWith(standardWebhooks, secrets)).toMatch(/is not in Base64/);
});

const hmac = (content: string | Buffer, algorithm = 'sha256') =>
	createHmac(algorithm, SECRET).update(content);
const right = hmac(BODY).digest('hex');

/** Why a call with this in its signature header is refused. */
function judge(
	parameters: IDataObject,
	header: string | string[] | undefined,
	{ headers, rawBody = Buffer.from(BODY) }: Partial<IncomingCall> = {},
) {
	const verify = verifierWith({ ...signature, ...parameters }, [SECRET]);
	return verify({ rawBody, headers: { 'X-Signature': header, ...headers } }, NOW);
}

const MISMATCH =
	'the signature does not match: check the webhook secret in the credential, "Algorithm", "Encoding", "Prefix", "Signed Content"';

test.each(['sha1', 'sha256', 'sha512'])('%s is let in, however it is written', (algorithm) => {
	// Of so many texts, some have each of the characters that differ.
	for (let index = 0; index < 50; index++) {
		const rawBody = Buffer.from(String(index));
		const digest = (encoding: 'hex' | 'base64' | 'base64url') =>
			hmac(rawBody, algorithm).digest(encoding);
		for (const text of [digest('hex'), digest('hex').toUpperCase()])
			expect(judge({ algorithm }, text, { rawBody })).toBeUndefined();
		for (const text of [digest('base64'), digest('base64url'), `  ${digest('base64')}`])
			expect(judge({ algorithm, encoding: 'base64' }, text, { rawBody })).toBeUndefined();
		expect(judge({ algorithm }, digest('base64'), { rawBody })).toBe(MISMATCH);
	}
});

test('a signature is made of the bytes of the body as they came', () => {
	const noUtf8 = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]);
	for (const body of ['\uFEFF{"id":1}', noUtf8, '', '{body}{timestamp}$&$1']) {
		const rawBody = Buffer.from(body);
		expect(judge({}, hmac(rawBody).digest('hex'), { rawBody })).toBeUndefined();
		expect(judge({}, right, { rawBody })).toBe(MISMATCH);
	}
	const verify = verifierWith(signature, [SECRET]);
	expect(verify({ headers: { 'X-Signature': right } }, NOW)).toMatch(/^the body cannot be read, /);
});

test('words say what is missing, and no value of a header', () => {
	const missing = 'no header "X-Signature"; other headers received: ';
	expect(judge({}, undefined)).toBe(`${missing}none`);
	expect(judge({}, '', { headers: { 'x-b': 'secret', 'x-a': '' } })).toBe(`${missing}x-a, x-b`);
	expect(judge({ prefix: 'sha256=' }, right)).toMatch(
		/^no signature in the header "X-Signature" begins with "sha256=": check the webhook secret/,
	);
});

test('of a signature that a proxy has added twice, equal ones pass', () => {
	expect(judge({}, `${right}, ${right}`)).toBeUndefined();
	expect(judge({}, `${right}, ${hmac('b').digest('hex')}`)).toBe(MISMATCH);
	expect(judge({}, [right, right])).toMatch(/^no header/);
});

test('the ID of Standard Webhooks has no dot, or a recorded call could be divided anew', () => {
	const key = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
	const verify = verifierWith(standardWebhooks, [key]);
	const judgeId = (id: string) => {
		const signed = createHmac('sha256', Buffer.from(key, 'base64')).update(`${id}.${SECONDS}.a`);
		const headers = {
			'webhook-id': id,
			'webhook-timestamp': `${SECONDS}`,
			'webhook-signature': `v1,${signed.digest('base64')}`,
		};
		return verify({ headers, rawBody: Buffer.from('a') }, NOW);
	};
	for (const id of ['msg_1', '{timestamp}$&']) expect(judgeId(id)).toBeUndefined();
	const words = 'the header "webhook-id" has a dot, which divides what is signed';
	expect(judgeId('msg_1.5')).toBe(words);
});

describe('the time', () => {
	/** Why a call is refused whose time and body were signed in this way. */
	const at = (
		time: string,
		body = BODY,
		{ signedContent = '{timestamp}.{body}', tolerance = 300 } = {},
	) => {
		const signed = signedContent.replace('{timestamp}', time).replace('{body}', () => body);
		const sent = { headers: { 'X-Time': time }, rawBody: Buffer.from(body) };
		const parameters = { timestampHeader: 'X-Time', signedContent, tolerance };
		return judge(parameters, hmac(signed).digest('hex'), sent);
	};

	test('may be a date, or a number of seconds or of parts of one; any where the tolerance is 0', () => {
		const numbers = [`${SECONDS}`, `${NOW}`, `${NOW}000`, `${NOW}000000`];
		const dates = ['2026-03-01T13:00:00+01:00', '2026-03-01T12:00:00.5Z'];
		for (const time of [...numbers, ...dates, new Date(NOW).toUTCString()])
			expect([time, at(time)]).toEqual([time, undefined]);
		expect(at('1', BODY, { tolerance: 0 })).toBeUndefined();
		expect(at(`${SECONDS + 3_600}`)).toBe(
			'the clock of the service is 3600 seconds ahead of that of n8n: n8n has 2026-03-01T12:00:00.000Z, and tolerates 300 seconds',
		);
	});

	test.each([
		['now', 'and is "now"'],
		['9'.repeat(400), ''],
		[`${SECONDS}.25`, `and is "${SECONDS}.25"`],
		[`0${SECONDS}`, ''],
		[`-${SECONDS}`, ''],
		['<a\u001b>', '"<a?>"'],
		// Of each of these, the body could have the end.
		['2026-03-01T12:00:00', ''],
		['Sun, 01 Mar 2026 12:00:00', ''],
		['Sun, 01 Mar 2026 11:00:00 GMT-0100', ''],
	])('may not be %s, and is named', (time, words) => {
		for (const tolerance of [300, 0]) {
			expect(at(time, BODY, { tolerance })).toMatch(/^the time has to be a whole number or/);
			expect(at(time, BODY, { tolerance })).toContain(words);
		}
	});

	test('of a recorded call, nothing can be moved between time and body', () => {
		const times = [SECONDS, NOW, `${NOW}000`, `${NOW}000000`, new Date(NOW).toISOString()];
		// A contact may write whatever could pass for a time.
		const bodies = [`{"a":"b.${SECONDS}.c:${NOW}:d"}`, `${SECONDS}.1`, '000', `.${NOW}:`];
		let tried = 0;
		for (const between of ['', '.', ':'])
			for (const time of times.map(String))
				for (const body of bodies) {
					const signed = time + between + body;
					for (let length = 0; length < signed.length; length++) {
						const [otherTime, rest] = [signed.slice(0, length), signed.slice(length)];
						if (otherTime === time || !rest.startsWith(between)) continue;
						tried++;
						const signedContent = `{timestamp}${between}{body}`;
						const reason = at(otherTime, rest.slice(between.length), { signedContent });
						expect([otherTime, signedContent, typeof reason]).toEqual([
							...[otherTime, signedContent, 'string'],
						]);
					}
				}
		expect(tried).toBeGreaterThan(500);
	});

	test.each([
		['{timestamp}{body}', '000{}', '{}0'],
		['{body}{timestamp}', 'a=1', '1=a'],
	])('with nothing between them, the body has no digit beside the time: %s', (...row) => {
		const [signedContent, wrong, fine] = row;
		const words = /^the body has a digit beside the time/;
		expect(at(`${SECONDS}`, wrong, { signedContent })).toMatch(words);
		for (const body of [fine, '{}'])
			expect(at(`${SECONDS}`, body, { signedContent })).toBeUndefined();
		expect(at(`${SECONDS}`, '12')).toBeUndefined();
	});
});

describe('a shared secret', () => {
	const withHeader = (value?: string | string[], secret = SECRET) =>
		verifierWith({ headerName: 'X-Secret' }, [secret])({ headers: { 'x-secret': value } }, NOW);
	const withQuery = (query: unknown, secret = SECRET, parameterName = 'secret') =>
		verifierWith({ secretIn: 'query', parameterName }, [secret])({ query }, NOW);

	const WRONG = 'the secret in "X-Secret" does not match that of the credential';

	test('in a header is let in, also after "Bearer" and where a proxy has added it twice', () => {
		for (const value of [SECRET, `Bearer ${SECRET}`, `bearer   ${SECRET}`, `${SECRET}, ${SECRET}`])
			expect(withHeader(value)).toBeUndefined();
		const near = [`${SECRET}s`, SECRET.slice(1), SECRET.slice(0, -1), SECRET.toUpperCase()];
		for (const value of [`x Bearer ${SECRET}`, `Basic ${SECRET}`, `${SECRET}, other`, ...near])
			expect(withHeader(value)).toBe(WRONG);
		for (const value of [undefined, '', [SECRET, SECRET]])
			expect(withHeader(value)).toMatch(/^no header "X-Secret"; other headers received: /);
		// As senders write it, in UTF-8, and as Node.js reads that.
		const umlauts = 'Schlüssel-für-Läden';
		expect(withHeader(Buffer.from(umlauts).toString('latin1'), umlauts)).toBeUndefined();
		expect(withHeader('Schlussel-fur-Laden', umlauts)).toBe(WRONG);
	});

	test('at the end of the address is let in, also with plus signs that came as blanks', () => {
		for (const given of [SECRET, [SECRET, SECRET]])
			expect(withQuery({ secret: given })).toBeUndefined();
		expect(withQuery({ secret: 'a b c=' }, 'a+b+c=')).toBeUndefined();
		expect(withQuery({ secret: `Bearer ${SECRET}` })).toMatch(/does not match/);
		const none = [undefined, {}, { secret: [SECRET, 'other'] }, { secret: { a: SECRET } }];
		for (const query of [...none, { secret: { toString: () => SECRET } }])
			expect(withQuery(query)).toBe('no parameter "secret"');
		for (const name of ['__proto__', 'constructor'])
			expect(withQuery({}, SECRET, name)).toBe(`no parameter "${name}"`);
	});
});
