/** Calls that nobody sends in good faith: none is let in, none throws, and none takes long. */
import crypto, { generateKeyPairSync, sign } from 'node:crypto';

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Verification } from '../../../../nodes/MessagingService/trigger/verification';
import { onThisMachine, startProcessorTime } from '../../../helpers/processor';
import { callWith, refusal, verificationWith } from './incomingCall';
import { EXAMPLES } from './publishedExamples';

const RUNS = 3_000;
/** Far more time of the processor than any of these calls takes. */
const PATIENCE_MS = onThisMachine(2_000);
const NOW = Date.parse('2026-03-01T12:00:00Z');

const anyOf = (texts: readonly string[]) => fc.constantFrom(...texts);

/** All that the published examples are made of, and what stands between it. */
const word = fc.oneof(
	anyOf(
		EXAMPLES.flatMap(({ headers, body, query = '' }) => [
			...Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;=]/)]),
			body,
			query,
		]),
	),
	anyOf(['t=', 'v1=', 'v1,', 'v1a,', 'sha256=', ',', ';', ' ', '=']),
	anyOf([String(NOW / 1_000), String(NOW), new Date(NOW).toISOString()]),
	anyOf(['-1', 'NaN', 'Infinity', '1e308', '9'.repeat(400), '+275760-09-13T00:00:00Z']),
	fc.string({ unit: 'binary', maxLength: 200 }),
	fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64')),
	fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('hex')),
);

const value = fc.oneof(
	fc.array(word, { maxLength: 30 }).map((words) => words.join('')),
	fc
		.tuple(word, fc.nat({ max: 16_000 }))
		.map(([text, times]) => text.slice(0, 6).repeat(times).slice(0, 16_000)),
);

const name = anyOf([
	...EXAMPLES.flatMap(({ headers }) => Object.keys(headers)),
	...['x-signature', 'x-timestamp', 'content-type', '__proto__', 'constructor', 'tostring'],
]);

const originalUrl = fc.oneof(
	anyOf(['', '/', '?', 'http://example.com/?a', '/%00?%ff%fe&&==', '//']),
	value.map((text) => `/webhook?${text}`),
	anyOf(EXAMPLES.map(({ query = '' }) => `/webhook${query}`)),
);

const call = fc
	.record({
		method: anyOf(['POST', 'GET', '']),
		headers: fc
			.array(fc.tuple(name, value), { maxLength: 8 })
			.map((entries) => Object.fromEntries(entries)),
		originalUrl,
		rawBody: fc.option(
			value.map((text) => Buffer.from(text)),
			{ nil: undefined },
		),
		address: anyOf(['https://n8n.example.com/webhook/1', '', 'not an address', '://']),
	})
	.map(({ address, ...more }) => callWith({ ...more, address: () => address || undefined }));

/** With keys of this run alone, so that no signature of the examples can be right. */
const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const der = ({ publicKey }: typeof p256) =>
	publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

function secretFor(parameters: IDataObject, published: string): string {
	const settings = JSON.stringify(parameters);
	if (published.startsWith('whpk_')) return `whpk_${der(ed25519)}`;
	if (settings.includes('ecdsaP256')) return der(p256);
	return settings.includes('"ed25519"') ? der(ed25519) : 'c2VjcmV0LXRoYXQtbm9ib2R5LWVsc2UtaGFz';
}

const signatureWith = (signature: IDataObject) =>
	verificationWith({ verification: 'signature', signature });
const LONGEST = `${'{query}{url}{fields}'.repeat(23)}{body}`;

/** Every way to verify that has an example, and some that hardly anybody would set. */
const VERIFICATIONS: Array<[Verification, string]> = [
	...EXAMPLES.map(({ parameters, secret }): [Verification, string] => [
		verificationWith(parameters),
		secretFor(parameters, secret),
	]),
	[verificationWith({}), 'a-secret'],
	[verificationWith({ secretIn: 'query', parameterName: 'a' }), 'a-secret'],
	[signatureWith({ signedContent: LONGEST }), 'a-secret'],
];

test(`${RUNS} hostile calls: none is let in, none throws, none takes long`, () => {
	let slowest = 0;
	fc.assert(
		fc.property(fc.constantFrom(...VERIFICATIONS), call, ([verification, secret], sent) => {
			const spent = startProcessorTime();
			const reason = refusal(verification, sent, [secret, 'an-old-secret'], NOW);
			slowest = Math.max(slowest, spent());
			expect(typeof reason).toBe('string');
			expect(reason).not.toContain(secret);
			expect(reason?.length).toBeLessThan(4_000);
		}),
		{ numRuns: RUNS },
	);
	expect(slowest).toBeLessThan(PATIENCE_MS);
}, 240_000);

test('the largest header, query and form take no longer than the largest body', () => {
	const sent = callWith({
		headers: {
			'x-signature': 'v1=00,'.repeat(2_700),
			'content-type': 'application/x-www-form-urlencoded',
		},
		originalUrl: `/webhook?${'b=1&a&'.repeat(2_600)}`,
		rawBody: Buffer.from('b=1&a&'.repeat(3_000_000)),
	});
	const verification = signatureWith({ separator: 'comma', prefix: 'v1=', signedContent: LONGEST });
	const spent = startProcessorTime();
	expect(refusal(verification, sent, ['a-secret'], NOW)).toBe('the form has more than 1000 fields');
	expect(spent()).toBeLessThan(PATIENCE_MS);
});

test('a wrong signature costs no more than a right one', () => {
	const body = Buffer.from('{"id":1}');
	const right = sign(null, body, ed25519.privateKey).toString('base64');
	const wrong = Buffer.alloc(64, 1).toString('base64');
	const verification = signatureWith({
		algorithm: 'ed25519',
		encoding: 'base64',
		separator: 'comma',
	});
	const checks = jest.spyOn(crypto, 'verify');
	const checksFor = (first: string) => {
		checks.mockClear();
		const header = [first, ...new Array<string>(9).fill(wrong)].join();
		const sent = callWith({ headers: { 'x-signature': header }, rawBody: body });
		const reason = refusal(verification, sent, [der(ed25519)], NOW);
		expect(reason === undefined).toBe(first === right);
		return checks.mock.calls.length;
	};
	const least = checksFor(right);
	expect(least).toBeGreaterThan(0);
	expect(checksFor(wrong)).toBe(least);
	checks.mockRestore();
});
