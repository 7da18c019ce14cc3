/** How the webhook secret of the credential is read as a key. */
import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import { callWith, problemWith, refusal, verificationWith } from './call';

const BODY = Buffer.from('{"id":1}');

const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });

const der = (key: KeyObject) => key.export({ format: 'der', type: 'spki' });
const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString().trim();
const coordinate = (key: KeyObject, name: 'x' | 'y') =>
	Buffer.from(String(key.export({ format: 'jwk' })[name]), 'base64url');

const rawEd25519 = coordinate(ed25519.publicKey, 'x');
const [x, y] = [coordinate(p256.publicKey, 'x'), coordinate(p256.publicKey, 'y')];
const point = Buffer.concat([Buffer.from([4]), x, y]);
const compressed = Buffer.concat([Buffer.from([2 + ((y.at(-1) ?? 0) & 1)]), x]);

const base64 = (bytes: Buffer) => bytes.toString('base64');

const signatures = {
	ed25519: base64(sign(null, BODY, ed25519.privateKey)),
	ecdsaP256: base64(sign('sha256', BODY, p256.privateKey)),
};

const verification = (signature: IDataObject, scheme = 'custom') =>
	verificationWith({
		verification: 'signature',
		scheme,
		signature: { encoding: 'base64', ...signature },
	});

const judge = (signature: IDataObject, secret: string, signed: string) => {
	const call = callWith({ headers: { 'x-signature': signed }, rawBody: BODY });
	return refusal(verification(signature), call, [secret], 0);
};

describe('a public key', () => {
	test.each([
		['ed25519', ed25519],
		['ecdsaP256', p256],
	] as const)(
		'of %s checks four signatures at most, since each takes the whole body',
		(algorithm, pair) => {
			const wrong = base64(Buffer.alloc(algorithm === 'ed25519' ? 64 : 70, 1));
			const judgeLast = (wrongs: number) => {
				const list = [...new Array<string>(wrongs).fill(wrong), signatures[algorithm]].join();
				const settings = { algorithm, separator: 'comma' };
				return judge(settings, pem(pair.publicKey), list);
			};
			expect(judgeLast(3)).toBeUndefined();
			expect(judgeLast(4)).toMatch(/^the signature does not match/);
		},
	);

	const p256Pem = pem(p256.publicKey);
	test.each<[string, 'ed25519' | 'ecdsaP256', string, string]>([
		['of Ed25519 as its 32 bytes', 'ed25519', 'base64', base64(rawEd25519)],
		['of Ed25519 as its 32 bytes', 'ed25519', 'hex', rawEd25519.toString('hex').toUpperCase()],
		['of Standard Webhooks', 'ed25519', 'base64', `whpk_${base64(rawEd25519)}`],
		['of Ed25519 with its header', 'ed25519', 'base64', base64(der(ed25519.publicKey))],
		['of Ed25519', 'ed25519', 'text', pem(ed25519.publicKey)],
		['of Ed25519 where another format is chosen', 'ed25519', 'hex', pem(ed25519.publicKey)],
		['of Ed25519 where text is chosen', 'ed25519', 'text', base64(rawEd25519)],
		['of P-256 with its header', 'ecdsaP256', 'base64', base64(der(p256.publicKey))],
		['of P-256 as a point', 'ecdsaP256', 'hex', point.toString('hex')],
		['of P-256 as a compressed point', 'ecdsaP256', 'base64', base64(compressed)],
		['of P-256', 'ecdsaP256', 'text', p256Pem],
		['pasted into a field of one line', 'ecdsaP256', 'text', p256Pem.replaceAll('\n', '')],
		['with blanks for line breaks', 'ecdsaP256', 'text', p256Pem.replaceAll('\n', ' ')],
		['with line breaks as in JSON', 'ecdsaP256', 'text', p256Pem.replaceAll('\n', '\\n')],
		['with line breaks of Windows', 'ecdsaP256', 'text', p256Pem.replaceAll('\n', '\r\n')],
	])('%s is read: %s as %s', (_what, algorithm, keyFormat, secret) => {
		const settings = { algorithm, keyFormat };
		expect(problemWith(verification(settings), [secret])).toBeUndefined();
		expect(judge(settings, secret, signatures[algorithm])).toBeUndefined();
		const other = Buffer.from(signatures[algorithm], 'base64');
		other[40] ^= 1;
		expect(judge(settings, secret, base64(other))).toBe(
			'the signature does not match: check the webhook secret and "Signed Content"',
		);
	});

	test('takes ECDSA signatures in both forms, and nothing else', () => {
		const settings = { algorithm: 'ecdsaP256' };
		const key = { key: p256.privateKey, dsaEncoding: 'ieee-p1363' as const };
		const plain = sign('sha256', BODY, key);
		expect(judge(settings, pem(p256.publicKey), base64(plain))).toBeUndefined();
		for (const odd of [plain.subarray(1), Buffer.alloc(64), Buffer.alloc(72, 0x30), Buffer.of(0)])
			expect(judge(settings, pem(p256.publicKey), base64(odd))).toMatch(
				/^the signature does not match/,
			);
	});

	test.each<[string, IDataObject, string, RegExp]>([
		[
			'of another kind',
			{ algorithm: 'ed25519' },
			pem(p256.publicKey),
			/^The webhook secret is no public key for Ed25519: copy the key from your service again$/,
		],
		[
			'of another curve',
			{ algorithm: 'ecdsaP256' },
			pem(p384.publicKey),
			/no public key for ECDSA P-256: copy the key from your service again$/,
		],
		[
			'of RSA',
			{ algorithm: 'ecdsaP256', keyFormat: 'base64' },
			base64(der(rsa.publicKey)),
			/no public key for ECDSA P-256: copy the key from your service again$/,
		],
		[
			'that is none',
			{ algorithm: 'ed25519', keyFormat: 'base64' },
			base64(Buffer.alloc(31)),
			/no public key for Ed25519: copy the key from your service again$/,
		],
		[
			'that is none',
			{ algorithm: 'ecdsaP256', keyFormat: 'base64' },
			base64(Buffer.alloc(31)),
			/no public key for ECDSA P-256: copy the key from your service again$/,
		],
		...[`x${pem(ed25519.publicKey)}`, `${pem(ed25519.publicKey)}x`].map(
			(secret): [string, IDataObject, string, RegExp] => [
				'with something beside it',
				{ algorithm: 'ed25519' },
				secret,
				/not written as (PEM|Base64): copy it from your service again$/,
			],
		),
		[
			'that is cut off',
			{ algorithm: 'ed25519' },
			pem(ed25519.publicKey).slice(0, -5),
			/not written as PEM: copy it from your service again$/,
		],
		[
			'that is private',
			{ algorithm: 'ed25519' },
			ed25519.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
			/^The webhook secret is a private key: enter the public key instead$/,
		],
		[
			'that is private, of an older kind',
			{ algorithm: 'ecdsaP256' },
			p256.privateKey.export({ format: 'pem', type: 'sec1' }).toString(),
			/^The webhook secret is a private key: enter the public key instead$/,
		],
		[
			'that is private, of Standard Webhooks',
			{ algorithm: 'ed25519', keyFormat: 'base64' },
			`whsk_${base64(rawEd25519)}`,
			/^The webhook secret is a private key: enter the public key instead$/,
		],
	])('%s is refused', (_what, settings, secret, words) => {
		const problem = problemWith(verification(settings), [secret]);
		expect(problem?.message).toMatch(words);
		expect(problem?.description).toMatch(/credential|service/);
		expect(problem?.message + (problem?.description ?? '')).not.toContain(secret);
		expect(judge(settings, secret, signatures.ed25519)).toMatch(words);
	});
});

test.each([
	['PEM', pem(ed25519.publicKey), 'text'],
	['a key of Standard Webhooks', `whpk_${base64(rawEd25519)}`, 'text'],
	['a key of Standard Webhooks', `whpk_${base64(rawEd25519)}`, 'base64'],
])('a public key is no secret, with which everybody could sign: %s', (_what, secret, keyFormat) => {
	const words = 'The webhook secret is a public key, and HMAC SHA-256 needs a secret';
	const problem = problemWith(verification({ keyFormat }), [secret]);
	expect(problem?.message).toBe(words);
	expect(problem?.description).toMatch(/or enter its signing secret in the credential\.$/);
	for (const key of [secret, rawEd25519]) {
		const forged = createHmac('sha256', key).update(BODY).digest('base64');
		expect(judge({ keyFormat }, secret, forged)).toBe(words);
	}
});

test('a text with the mark of a private key within it is a secret', () => {
	for (const secret of ['a-whsk_b', 'a-----BEGIN PRIVATE KEY'])
		expect(problemWith(verification({ keyFormat: 'text' }), [secret])).toBeUndefined();
});

describe('a secret that begins with "whsec_"', () => {
	const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
	const made = (bytes: Buffer | string) =>
		createHmac('sha256', bytes).update(BODY).digest('base64');

	test('is the Base64 after it where Base64 is chosen', () => {
		expect(judge({ keyFormat: 'base64' }, `whsec_${base64(key)}`, made(key))).toBeUndefined();
	});

	test('is a text as it is, which Stripe has', () => {
		const secret = `whsec_${base64(key)}`;
		expect(judge({ keyFormat: 'text' }, secret, made(secret))).toBeUndefined();
		expect(judge({ keyFormat: 'text' }, secret, made(key))).toMatch(
			/^the signature does not match/,
		);
	});
});
