/** How the webhook secret of the credential is read as a key. */
import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import { callWith, problemWith, refusal, verificationWith } from './incomingCall';

const BODY = Buffer.from('{"id":1}');

const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });

const base64 = (bytes: Buffer) => bytes.toString('base64');
const der = (key: KeyObject) => base64(key.export({ format: 'der', type: 'spki' }));
const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString().trim();
const coordinate = (key: KeyObject, name: 'x' | 'y') =>
	Buffer.from(String(key.export({ format: 'jwk' })[name]), 'base64url');

const rawEd25519 = coordinate(ed25519.publicKey, 'x');
const [x, y] = [coordinate(p256.publicKey, 'x'), coordinate(p256.publicKey, 'y')];
const point = Buffer.concat([Buffer.from([4]), x, y]);
const compressed = Buffer.concat([Buffer.from([2 + ((y.at(-1) ?? 0) & 1)]), x]);

const signatures = {
	ed25519: base64(sign(null, BODY, ed25519.privateKey)),
	ecdsaP256: base64(sign('sha256', BODY, p256.privateKey)),
};

const verification = (signature: IDataObject) =>
	verificationWith({
		verification: 'signature',
		signature: { encoding: 'base64', ...signature },
	});

const judge = (signature: IDataObject, secret: string, signed: string) => {
	const call = callWith({ headers: { 'x-signature': signed }, rawBody: BODY });
	return refusal(verification(signature), call, [secret], 0);
};

const made = (key: Buffer | string) => base64(createHmac('sha256', key).update(BODY).digest());

describe('a secret', () => {
	const key = Buffer.from('00ff10203040506070', 'hex');

	test.each([
		['hex', key.toString('hex').toUpperCase()],
		['hex', `whsec_${key.toString('hex')}`],
		['base64', base64(key)],
		['base64', base64(key).replace(/=+$/, '')],
		['base64', `whsec_${base64(key)}`],
	])('as %s stands for bytes, and as text for itself: %s', (keyFormat, secret) => {
		expect(judge({ keyFormat }, secret, made(key))).toBeUndefined();
		expect(judge({ keyFormat: 'text' }, secret, made(secret))).toBeUndefined();
		expect(judge({ keyFormat: 'text' }, secret, made(key))).toMatch(/^the signature does not/);
	});

	// Node.js would make an empty key of some of these, with which everybody can sign.
	test.each([
		...['xyz', 'f', '00f', ''].map((digits) => ['hex', `whsec_${digits}`] as const),
		...['!', 'a', '=', '', 'not base 64', 'not_base64-0', 'YWJj\nZGVm'].map(
			(digits) => ['base64', `whsec_${digits}`] as const,
		),
		['base64', 'not_base64-0'] as const,
	])('that is not written as %s lets in nobody: %s', (keyFormat, secret) => {
		const words =
			/^The webhook secret in the credential is not written as (Base64|Hexadecimal): enter the one that your service/;
		for (const forgery of ['', Buffer.from(secret, keyFormat)])
			expect(judge({ keyFormat }, secret, made(forgery))).toMatch(words);
		expect(problemWith(verification({ keyFormat }), [secret])).toMatchObject({
			message: expect.stringMatching(words),
			description: expect.stringContaining('"Key Format"'),
		});
	});

	test.each([
		[pem(ed25519.publicKey), 'text'],
		[`whpk_${base64(rawEd25519)}`, 'text'],
		[`whpk_${base64(rawEd25519)}`, 'base64'],
	])('is no public key, with which everybody could sign: %s as %s', (secret, keyFormat) => {
		const words = 'The webhook secret is a public key, and HMAC SHA-256 needs a secret';
		expect(problemWith(verification({ keyFormat }), [secret])?.message).toBe(words);
		for (const key of [secret, rawEd25519])
			expect(judge({ keyFormat }, secret, made(key))).toBe(words);
	});
});

describe('a public key', () => {
	const p256Pem = pem(p256.publicKey);

	test.each<[string, 'ed25519' | 'ecdsaP256', string, string]>([
		['of Ed25519 as its 32 bytes', 'ed25519', 'hex', rawEd25519.toString('hex')],
		['of Ed25519 where text is chosen', 'ed25519', 'text', base64(rawEd25519)],
		['of Standard Webhooks', 'ed25519', 'base64', `whpk_${base64(rawEd25519)}`],
		['of Ed25519 with its header', 'ed25519', 'base64', der(ed25519.publicKey)],
		['of Ed25519 as PEM, whatever is chosen', 'ed25519', 'hex', pem(ed25519.publicKey)],
		['of P-256 with its header', 'ecdsaP256', 'base64', der(p256.publicKey)],
		['of P-256 as a point', 'ecdsaP256', 'hex', point.toString('hex')],
		['of P-256 as a compressed point', 'ecdsaP256', 'base64', base64(compressed)],
		['pasted into a field of one line', 'ecdsaP256', 'text', p256Pem.replaceAll('\n', '')],
		['with blanks for line breaks', 'ecdsaP256', 'text', p256Pem.replaceAll('\n', ' ')],
		['with line breaks as in JSON', 'ecdsaP256', 'text', p256Pem.replaceAll('\n', '\\n')],
		['with line breaks of Windows', 'ecdsaP256', 'text', p256Pem.replaceAll('\n', '\r\n')],
	])('%s is read', (_what, algorithm, keyFormat, secret) => {
		const settings = { algorithm, keyFormat };
		expect(problemWith(verification(settings), [secret])).toBeUndefined();
		expect(judge(settings, secret, signatures[algorithm])).toBeUndefined();
		const other = Buffer.from(signatures[algorithm], 'base64');
		other[40] ^= 1;
		expect(judge(settings, secret, base64(other))).toMatch(/^the signature does not match/);
	});

	const privatePem = (type: 'pkcs8' | 'sec1') => {
		const key = type === 'sec1' ? p256.privateKey : ed25519.privateKey;
		return key.export({ format: 'pem', type }).toString();
	};
	const noKey = (name: string) => `The webhook secret is no public key for ${name}: copy`;
	const PRIVATE = 'The webhook secret is a private key: enter the public key instead';

	test.each([
		['of another kind', 'ed25519', p256Pem, noKey('Ed25519')],
		['of another curve', 'ecdsaP256', pem(p384.publicKey), noKey('ECDSA P-256')],
		['that is none', 'ed25519', base64(Buffer.alloc(31)), noKey('Ed25519')],
		['that is cut off', 'ecdsaP256', p256Pem.slice(0, -5), 'not written as PEM: enter'],
		['that is private', 'ed25519', privatePem('pkcs8'), PRIVATE],
		['that is private, of an older kind', 'ecdsaP256', privatePem('sec1'), PRIVATE],
		['that is private, of Standard Webhooks', 'ed25519', `whsk_${base64(rawEd25519)}`, PRIVATE],
	])('%s is refused', (_what, algorithm, secret, words) => {
		const settings = { algorithm };
		const { message = '', description = '' } = problemWith(verification(settings), [secret]) ?? {};
		expect(message).toContain(words);
		expect(message + description).not.toContain(secret);
		expect(judge(settings, secret, signatures.ed25519)).toContain(words);
	});

	test('takes ECDSA signatures in both forms, and nothing else', () => {
		const key = { key: p256.privateKey, dsaEncoding: 'ieee-p1363' as const };
		const plain = sign('sha256', BODY, key);
		const judgeBytes = (bytes: Buffer) => judge({ algorithm: 'ecdsaP256' }, p256Pem, base64(bytes));
		expect(judgeBytes(plain)).toBeUndefined();
		for (const odd of [plain.subarray(1), Buffer.alloc(64), Buffer.alloc(72, 0x30), Buffer.of(0)])
			expect(judgeBytes(odd)).toMatch(/^the signature does not match/);
	});

	test('checks four signatures at most, since each takes the whole body', () => {
		const judgeLast = (wrongs: number) => {
			const wrong = base64(Buffer.alloc(64, 1));
			const list = [...new Array<string>(wrongs).fill(wrong), signatures.ed25519].join();
			const settings = { algorithm: 'ed25519', separator: 'comma' };
			return judge(settings, pem(ed25519.publicKey), list);
		};
		expect(judgeLast(3)).toBeUndefined();
		expect(judgeLast(4)).toMatch(/^the signature does not match/);
	});
});
