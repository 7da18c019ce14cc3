/** How the webhook secret of the credential is read as a key. */
import { createHmac, generateKeyPairSync } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import { callWith, problemWith, refusal, verificationWith } from './call';

const BODY = Buffer.from('{"id":1}');

const base64 = (bytes: Buffer) => bytes.toString('base64');
const made = (key: Buffer | string, content: Buffer | string = BODY) =>
	base64(createHmac('sha256', key).update(content).digest());

const verification = (signature: IDataObject) =>
	verificationWith({ verification: 'signature', signature: { encoding: 'base64', ...signature } });

const judge = (signature: IDataObject, secret: string, signed: string) => {
	const call = callWith({ headers: { 'x-signature': signed }, rawBody: BODY });
	return refusal(verification(signature), call, [secret], 0);
};

const key = Buffer.from('00ff10203040506070', 'hex');

test.each([
	['hex', key.toString('hex').toUpperCase()],
	['hex', `whsec_${key.toString('hex')}`],
	['base64', base64(key)],
	['base64', base64(key).replace(/=+$/, '')],
	['base64', `whsec_${base64(key)}`],
	['base64', `v1,whsec_${base64(key)}`],
])('as %s it stands for bytes, and as text for itself: %s', (keyFormat, secret) => {
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
])('what is not written as %s lets in nobody: %s', (keyFormat, secret) => {
	const words =
		/^The webhook secret in the credential is not written as (Base64|Hexadecimal): enter the one that your service/;
	for (const forgery of ['', Buffer.from(secret, keyFormat)])
		expect(judge({ keyFormat }, secret, made(forgery))).toMatch(words);
	expect(problemWith(verification({ keyFormat }), [secret])).toMatchObject({
		message: expect.stringMatching(words),
		description: expect.stringContaining('"Key Format" to "Text"'),
	});
});

test('a key of a key pair is refused, since everybody could sign with a public one', () => {
	const pairs = [
		generateKeyPairSync('ed25519'),
		generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
		generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
		generateKeyPairSync('rsa', { modulusLength: 1024 }),
		generateKeyPairSync('rsa', { modulusLength: 2048 }),
	];
	const written = pairs.flatMap(({ publicKey, privateKey }) => [
		String(publicKey.export({ format: 'pem', type: 'spki' })),
		String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
		base64(publicKey.export({ format: 'der', type: 'spki' })),
	]);
	const words = /^The webhook secret is a public or private key/;
	for (const secret of [...written, 'whpk_AAAA', 'whsk_AAAA']) {
		for (const keyFormat of ['text', 'base64']) {
			const problem = problemWith(verification({ keyFormat }), [secret]);
			expect(problem?.message).toMatch(words);
			expect(judge({ keyFormat }, secret, made(secret))).toMatch(words);
		}
		const call = callWith({ headers: { 'x-webhook-secret': secret } });
		const shared = verificationWith({ verification: 'sharedSecret' });
		expect(refusal(shared, call, [secret], 0)).toMatch(words);
	}
});
