/** What the settings of a signature do, and which of them are refused before any call comes. */
import { createHash, createHmac } from 'node:crypto';

import { type IDataObject } from 'n8n-workflow';
import type { Call } from '../../../../nodes/MessagingService/trigger/verification/call';
import { problemOf } from '../panel';
import { ADDRESS, callWith, problemWith, refusal, verificationWith } from './call';

const SECRET = 'a-secret-of-32-characters-000001';
const BODY = '{"id":1}';

const custom = (signature: IDataObject) =>
	verificationWith({ verification: 'signature', signature });

const hmac = (content: string | Buffer, key = SECRET) =>
	createHmac('sha256', key).update(content).digest('hex');

/** Why a call is refused whose signature is that of a content. */
function judge(
	signature: IDataObject,
	content: string | Buffer,
	{ headers, ...more }: Partial<Call> = {},
	secrets = [SECRET],
) {
	const call = callWith({
		rawBody: Buffer.from(BODY),
		...more,
		headers: { 'x-signature': hmac(content), ...headers },
	});
	return refusal(custom(signature), call, secrets, 0);
}

describe('a setting that cannot be used is refused', () => {
	test.each<[string, IDataObject, string, RegExp]>([
		[
			'an unknown placeholder',
			{ signedContent: '{body}{nonce}' },
			'"Signed Content" has an unknown placeholder: {nonce}',
			/^Use these: \{body\}, \{fields\}, \{header:name\}, .*, \{url\}\.$/,
		],
		...[
			...['{Body}', '{}', '{header:}', '{query:}', '{header}', '{body:a}', '{__proto__}'],
			...['{-header:a}', '{header:a\nb}'],
		].map((placeholder): [string, IDataObject, string, RegExp] => [
			placeholder,
			{ signedContent: `{body}${placeholder}` },
			`"Signed Content" has an unknown placeholder: ${placeholder}`,
			/^Use these/,
		]),
		[
			'an enormous template',
			{ signedContent: `${'{body}'.repeat(83)}abc` },
			'"Signed Content" is longer than 500 characters',
			/placeholders/,
		],
		[
			'Plivo V2, which does not sign the body',
			{ encoding: 'base64', signedContent: '{url}{header:X-Plivo-Signature-V2-Nonce}' },
			'"Signed Content" does not cover the body: {body}, {fields} or {sha256:body} is missing',
			/If the service does not sign the body, choose another way/,
		],
		[
			'a time without a place',
			{ signedContent: '{timestamp}.{body}' },
			'"Timestamp Header" is missing',
			/"Timestamp Prefix" instead/,
		],
		...[0, -5, 'x'].map((tolerance): [string, IDataObject, string, RegExp] => [
			`the tolerance ${tolerance}`,
			{ tolerance },
			'"Tolerance" has to be a whole number of at least 1',
			/^The value is /,
		]),
		...[
			...['n8n.example.com/a', 'ftp://a', 'https://', 'https://a/?b', 'https://a/#b', '/a'],
			'x-https://a',
		].map((publicUrl): [string, IDataObject, string, RegExp] => [
			publicUrl,
			{ publicUrl },
			`"Public URL" cannot be used: ${publicUrl}`,
			/whole address.*without a query/,
		]),
	])('%s', (_what, signature, words, remedy) => {
		const { message, description } = problemOf(() => custom(signature));
		expect(message).toBe(words);
		expect(description).toMatch(remedy);
	});
});

describe('a placeholder stands for', () => {
	const query = '?b=2&a=1%202&b=1&c=%C3%BC';
	const originalUrl = `/webhook/1/webhook${query}`;
	const digest = createHash('sha256').update(BODY).digest();

	test.each<[string, string | Buffer]>([
		['{method} {body}', `PUT ${BODY}`],
		['{url}{body}', `${ADDRESS}${query}${BODY}`],
		['{query}{body}', `a=1+2&b=2&b=1&c=%C3%BC${BODY}`],
		['{header:X-Nonce}{body}', `n${BODY}`],
		['{header:x-nonce}.{id}.{body}', `n.i.${BODY}`],
		['{sha256:body}', digest],
		[`{body}${'a'.repeat(494)}`, BODY + 'a'.repeat(494)],
		['v1\\n{sha256:body}', Buffer.concat([Buffer.from('v1\n'), digest])],
	])('%s', (signedContent, content) => {
		const headers = { 'x-nonce': 'n', 'webhook-id': 'i' };
		const call = { method: 'PUT', originalUrl, headers };
		expect(judge({ signedContent }, content, call)).toBeUndefined();
		const other = Buffer.concat([Buffer.from(content), Buffer.from('x')]);
		expect(judge({ signedContent }, other, call)).toMatch(/^the signature does not match/);
	});

	test.each([
		['{header:X-Nonce}{body}', BODY, 'no header "X-Nonce"; these headers came: x-signature'],
		['{id}{body}', BODY, 'no header "webhook-id"; these headers came: x-signature'],
	])('nothing that is missing: %s', (signedContent, content, reason) => {
		expect(judge({ signedContent }, content)).toBe(reason);
	});

	test('the address that is set, and else none that n8n does not know', () => {
		const signedContent = '{url}{body}';
		const publicUrl = 'http://hooks.example.com/sms';
		const call = { address: () => undefined, originalUrl: '/webhook/1?a=1' };
		expect(judge({ signedContent }, '', call)).toBe(
			'n8n does not know the address of this trigger: set "Public URL"',
		);
		const content = `${publicUrl}?a=1${BODY}`;
		expect(judge({ signedContent, publicUrl }, content, call)).toBeUndefined();
		expect(judge({ signedContent, publicUrl: `${publicUrl}/` }, content, call)).toBe(
			'the signature does not match: check the webhook secret and "Signed Content" and the address, which is http://hooks.example.com/sms/ to this trigger',
		);
		expect(judge({ signedContent, publicUrl: 'https://u:p@a.example' }, content, call)).toMatch(
			/which is https:\/\/a\.example to this trigger$/,
		);
	});
});

describe('the fields of a form', () => {
	const signedContent = '{fields}';
	const form = (body: string, type = 'application/x-www-form-urlencoded'): Partial<Call> => ({
		headers: { 'content-type': type },
		rawBody: Buffer.from(body),
	});

	test('are sorted by name and value, each once', () => {
		expect(judge({ signedContent }, 'a1B2a', form('a=%31&B=2&a='))).toMatch(/does not match/);
		expect(judge({ signedContent }, 'B2aa1ü+ x', form('a=1&B=2&a=&a=1&%C3%BC=%2B+x'))).toBe(
			undefined,
		);
		const type = 'Application/x-www-form-urlencoded ; charset=UTF-8';
		expect(judge({ signedContent }, 'a1', form('a=1', type))).toBeUndefined();
	});

	test.each(['application/json', 'text/plain', '', 'multipart/form-data'])(
		'are not taken from a body of the type "%s"',
		(type) => {
			expect(judge({ signedContent }, 'a1', form('a=1', type))).toBe(
				'the body is no form, and no signed query parameter "bodySHA256" covers it',
			);
			// The digest does not count where the query is not signed.
			const digest = createHash('sha256').update('a=1').digest('hex');
			const call = { ...form('a=1', type), originalUrl: `/w?bodySHA256=${digest}` };
			expect(judge({ signedContent }, '', call)).toMatch(/^the body is no form/);
			expect(judge({ signedContent: '{query}{fields}' }, `bodySHA256=${digest}`, call)).toBe(
				undefined,
			);
		},
	);

	test('do not stand for a body whose digest is signed', () => {
		const digest = createHash('sha256').update(BODY).digest('hex');
		const call = { originalUrl: `/webhook/1/webhook?bodySHA256=${digest}` };
		const content = `${ADDRESS}?bodySHA256=${digest}`;
		const settings = { signedContent: '{url}{fields}' };
		expect(judge(settings, content, call)).toBeUndefined();
		expect(judge(settings, content, { ...call, rawBody: Buffer.from('{"id":2}') })).toBe(
			'the query parameter "bodySHA256" is that of another body',
		);
		// An empty form would add nothing to the signed content either.
		expect(judge(settings, content, { ...call, ...form('') })).toMatch(/another body$/);
	});
});

describe('several signatures', () => {
	const right = hmac(BODY);
	const wrong = hmac('other');
	const judgeHeader = (header: string, signature: IDataObject = {}) =>
		judge({ separator: 'comma', prefix: 'v1=', ...signature }, '', {
			headers: { 'x-signature': header },
		});

	test.each([
		['comma', ','],
		['semicolon', ';'],
		['space', ' '],
	])('divided by %s: any one may match', (separator, divider) => {
		const header = ['v0=x', `v1=${wrong}`, `v1=${right}`].join(divider);
		expect(judgeHeader(header, { separator })).toBeUndefined();
		expect(judgeHeader(header.replace(right, wrong), { separator })).toMatch(
			/^the signature does not match/,
		);
		expect(judgeHeader(header, { separator: 'none' })).toMatch(/^no part of the header "X-Signature" begins/);
	});

	test.each([
		[
			'no part of it begins with the prefix',
			`v2=${right}`,
			/^no part of the header "X-Signature" begins with "v1="$/,
		],
		[
			'it is not hexadecimal',
			'v1=zz',
			/^the signature in the header "X-Signature" is not written as Hexadecimal: check/,
		],
		['it is too short', 'v1=00ff', /^the signature does not match/],
		['it is as long as is decoded', `v1=${'00'.repeat(128)}`, /^the signature does not match/],
		['it is longer than any', `v1=${'00'.repeat(10_000)}`, /is not written as Hexadecimal: check/],
	])('are refused when %s', (_what, header, reason) => {
		expect(judgeHeader(header)).toMatch(reason);
	});

	test('may have the time beside them', () => {
		const settings = {
			timestampPrefix: 't=',
			signedContent: '{timestamp}.{body}',
			tolerance: 10,
		};
		const signed = `v1=${hmac(`5.${BODY}`)}`;
		expect(judgeHeader(`t=5,${signed}`, settings)).toBeUndefined();
		expect(judgeHeader(`${signed}, t= 5`, settings)).toBeUndefined();
		expect(judgeHeader(`t=6,${signed}`, settings)).toMatch(/^the signature does not match/);
		expect(judgeHeader(`t=11,${signed}`, settings)).toMatch(/^its time is 11 seconds ahead/);
		expect(judgeHeader(`t=,${signed}`, settings)).toBe('this is no time: ""');
		expect(judgeHeader(`t=${'a'.repeat(41)},${signed}`, settings)).toBe(
			`this is no time: "${'a'.repeat(41)}"`,
		);
		expect(judgeHeader(`t=<a\u001b>,${signed}`, settings)).toBe('this is no time: "<a?>"');
		expect(judgeHeader(signed, settings)).toBe(
			'no part of the header "X-Signature" begins with "t="',
		);
	});
});

test.each([
	['http://a.example/https', 'http://a.example:80/https'],
	['HTTPS://a.example', 'HTTPS://a.example:443'],
	['https://a.example:8443', 'https://a.example'],
	['https://a:1@a.example/b:2', 'https://a:1@a.example:443/b:2'],
	['http://[::1]:5678/a', 'http://[::1]/a'],
	['http://[::1]/a', 'http://[::1]:80/a'],
])('Twilio may sign the address %s as %s', (publicUrl, signed) => {
	const verification = verificationWith({
		verification: 'signature',
		scheme: 'twilio',
		signature: { publicUrl },
	});
	const judgeSigned = (address: string) => {
		const signature = createHmac('sha1', SECRET).update(`${address}a1`).digest('base64');
		const type = 'application/x-www-form-urlencoded';
		const headers = { 'x-twilio-signature': signature, 'content-type': type };
		return refusal(verification, callWith({ headers, rawBody: Buffer.from('a=1') }), [SECRET], 0);
	};
	expect(judgeSigned(signed)).toBeUndefined();
	expect(judgeSigned(publicUrl)).toBeUndefined();
	expect(judgeSigned(`${signed}/`)).toMatch(/^the signature does not match/);
});

describe('the previous secret', () => {
	const content = BODY;

	test('is accepted beside the current one, in any scheme', () => {
		expect(judge({}, content, {}, ['new', SECRET])).toBeUndefined();
		expect(judge({}, content, {}, [SECRET, 'old'])).toBeUndefined();
		expect(judge({}, content, {}, ['new', 'old'])).toMatch(/^the signature does not match/);
		const shared = verificationWith({});
		const call = callWith({ headers: { 'x-webhook-secret': 'old' } });
		expect(refusal(shared, call, ['new', 'old'], 0)).toBeUndefined();
		expect(refusal(shared, call, ['new'], 0)).toMatch(/does not match that of the credential$/);
		expect(problemWith(shared, ['new', 'old'])).toBeUndefined();
	});

	test('that cannot be read stops the activation, and not the calls', () => {
		const hex = { keyFormat: 'hex' };
		const problem = problemWith(custom(hex), ['00ff', 'no hex']);
		expect(problem?.message).toBe(
			'"Previous Webhook Secret": The webhook secret is not written as Hexadecimal: copy it from your service again',
		);
		expect(problem?.description).toMatch(/empty the field\.$/);
		const signed = createHmac('sha256', Buffer.from('00ff', 'hex')).update(BODY).digest('hex');
		const call = callWith({ headers: { 'x-signature': signed }, rawBody: Buffer.from(BODY) });
		expect(refusal(custom(hex), call, ['00ff', 'no hex'], 0)).toBeUndefined();
	});
});
