/** Calls that nobody sends in good faith: none is let in, none throws, and none takes long. */
import { generateKeyPairSync, sign } from 'node:crypto';

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type {
	Call,
	Verification,
} from '../../../../nodes/MessagingService/trigger/verification/call';
import { callWith, refusal, verificationWith } from './call';
import { EXAMPLES } from './publishedExamples';

const RUNS = 10_000;
/** Far more than any of these calls takes, on a machine that is busy with other things. */
const PATIENCE_MS = 2_000;
const NOW = Date.parse('2026-03-01T12:00:00Z');

const anyOf = (texts: readonly string[]) => fc.constantFrom(...texts);

/** All that the published examples are made of: names, times, signatures, secrets' neighbours. */
const WORDS = EXAMPLES.flatMap(({ headers, body, query = '' }) => [
	...Object.values(headers),
	...Object.values(headers).flatMap((value) => value.split(/[\s,;=]/)),
	body,
	query,
]);

const NAMES = [
	...new Set(EXAMPLES.flatMap(({ headers }) => Object.keys(headers))),
	...['x-signature', 'x-timestamp', 'content-type', '__proto__', 'constructor', 'tostring'],
];

const time = fc.oneof(
	anyOf([String(NOW / 1_000), String(NOW), new Date(NOW).toISOString()]),
	anyOf(['', '0', '-1', 'NaN', 'Infinity', '1e308', '9'.repeat(400), '+275760-09-13T00:00:00Z']),
	fc.integer().map(String),
);

const value = fc.oneof(
	anyOf(WORDS),
	time,
	fc.string({ unit: 'binary', maxLength: 200 }),
	fc
		.tuple(fc.constantFrom(',', ';', ' ', '=', 'v1=,', 'v1,', 't=1,'), fc.nat({ max: 16_000 }))
		.map(([text, times]) => text.repeat(times).slice(0, 16_000)),
	fc
		.array(fc.oneof(anyOf(WORDS), anyOf(['t=', 'v1=', 'v1,', 'v1a,', 'sha256=', ',', ';', ' '])), {
			maxLength: 30,
		})
		.map((words) => words.join('')),
	fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64')),
	fc.uint8Array({ maxLength: 64 }).map((bytes) => `v1=${Buffer.from(bytes).toString('hex')}`),
);

const headers = fc
	.array(fc.tuple(fc.oneof(anyOf(NAMES), fc.string({ maxLength: 20 })), value), { maxLength: 8 })
	.map((entries) => Object.fromEntries(entries));

const originalUrl = fc.oneof(
	anyOf(['', '/', '/webhook/1/webhook', '?', 'http://example.com/?a', '/%00?%ff%fe&&==', '//']),
	fc.string({ maxLength: 100 }).map((text) => `/webhook?${text}`),
	fc.nat({ max: 8_000 }).map((count) => `/webhook?${'a&'.repeat(count)}`),
	anyOf(EXAMPLES.map(({ query = '' }) => `/webhook${query}`)),
);

const body = fc.oneof(
	fc.constant(undefined),
	anyOf(EXAMPLES.map((example) => example.body)).map((text) => Buffer.from(text)),
	fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
	fc.nat({ max: 3_000 }).map((count) => Buffer.from('a=1&'.repeat(count))),
);

const call: fc.Arbitrary<Call> = fc
	.record({
		method: anyOf(['POST', 'GET', '', 'F@O']),
		headers,
		originalUrl,
		rawBody: body,
		address: anyOf(['https://n8n.example.com/webhook/1', '', 'not an address', '://']),
	})
	.map(({ address, ...more }) => callWith({ ...more, address: () => address || undefined }));

/** With secrets of this run alone, so that no signature of the examples can be right. */
const SECRETS = {
	shared: 'a-secret-that-nobody-else-has-01',
	base64: 'c2VjcmV0LXRoYXQtbm9ib2R5LWVsc2UtaGFz',
	ed25519: rawKey(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x),
	ecdsaP256: generateKeyPairSync('ec', { namedCurve: 'P-256' })
		.publicKey.export({ format: 'der', type: 'spki' })
		.toString('base64'),
};

function rawKey(x = ''): string {
	return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
}

function secretOf(parameters: IDataObject, secret: string): string {
	const settings = JSON.stringify(parameters);
	if (secret.startsWith('whpk_')) return SECRETS.ed25519;
	if (settings.includes('ecdsaP256')) return SECRETS.ecdsaP256;
	if (settings.includes('"ed25519"')) return SECRETS.ed25519;
	return /base64"|standardWebhooks/.test(settings) ? SECRETS.base64 : SECRETS.shared;
}

const LONGEST = `${'{query}{url}{fields}'.repeat(23)}{body}`;

/** Every way to verify that has an example, and some that hardly anybody would set. */
const VERIFICATIONS: Array<[Verification, string]> = [
	...EXAMPLES.map(({ parameters, secret }): [Verification, string] => [
		verificationWith(parameters),
		secretOf(parameters, secret),
	]),
	[verificationWith({}), SECRETS.shared],
	[verificationWith({ secretIn: 'query', parameterName: 'a' }), SECRETS.shared],
	[
		verificationWith({ verification: 'signature', signature: { signedContent: LONGEST } }),
		SECRETS.shared,
	],
];

test(`${RUNS} hostile calls: none is let in, none throws, none takes long`, () => {
	let slowest = 0;
	fc.assert(
		fc.property(fc.constantFrom(...VERIFICATIONS), call, ([verification, secret], sent) => {
			const start = performance.now();
			const reason = refusal(verification, sent, [secret, 'an-old-secret'], NOW);
			slowest = Math.max(slowest, performance.now() - start);
			expect(typeof reason).toBe('string');
			expect(reason).not.toContain(secret);
			expect(reason?.length).toBeLessThan(4_000);
		}),
		{ numRuns: RUNS },
	);
	expect(slowest).toBeLessThan(PATIENCE_MS);
}, 240_000);

test('the largest header, query and form take no longer than the largest body', () => {
	const parts = 'v1=00,'.repeat(2_700);
	const sent = callWith({
		headers: { 'x-signature': parts, 'content-type': 'application/x-www-form-urlencoded' },
		originalUrl: `/webhook?${'b=1&a&'.repeat(2_600)}`,
		rawBody: Buffer.from('b=1&a&'.repeat(3_000_000)),
	});
	const verification = verificationWith({
		verification: 'signature',
		signature: { separator: 'comma', prefix: 'v1=', signedContent: LONGEST },
	});
	const start = performance.now();
	expect(refusal(verification, sent, [SECRETS.shared], NOW)).toBe(
		'the form has more than 1000 fields',
	);
	expect(performance.now() - start).toBeLessThan(PATIENCE_MS);
});

test('a wrong signature costs no more than a right one', () => {
	const { publicKey, privateKey } = generateKeyPairSync('ed25519');
	const body = Buffer.from('{"id":1}');
	const right = sign(null, body, privateKey).toString('base64');
	const wrong = Buffer.alloc(64, 1).toString('base64');
	const verification = verificationWith({
		verification: 'signature',
		signature: { algorithm: 'ed25519', encoding: 'base64', separator: 'comma' },
	});
	const secret = publicKey.export({ format: 'pem', type: 'spki' }).toString().trim();
	const spent = { right: [] as number[], wrong: [] as number[] };
	for (let i = 0; i < 100; i++) {
		for (const [kind, first] of [
			['right', right],
			['wrong', wrong],
		] as const) {
			const header = [first, ...new Array<string>(9).fill(wrong)].join();
			const sent = callWith({ headers: { 'x-signature': header }, rawBody: body });
			const start = performance.now();
			const reason = refusal(verification, sent, [secret], NOW);
			spent[kind].push(performance.now() - start);
			expect(reason === undefined).toBe(kind === 'right');
		}
	}
	// The least time is the one that other work on the machine disturbs least.
	expect(Math.min(...spent.wrong) / Math.min(...spent.right)).toBeLessThan(1.5);
});
