/** Events signed by others, whole and with one thing changed. */
import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';

import { ADDRESS, callWith, problemWith, refusal, verificationWith } from './incomingCall';
import { EXAMPLES, type Example } from './publishedExamples';

/** Why a call is refused that was sent a minute ago. */
function judge(example: Example, now = (example.sentAt ?? 0) + 60_000): string | undefined {
	const { parameters, secret, headers, body, address = ADDRESS, query = '' } = example;
	const call = callWith({
		headers,
		rawBody: Buffer.from(body),
		originalUrl: `/webhook/1/webhook${query}`,
		address: () => address,
	});
	const verification = verificationWith(parameters);
	expect(problemWith(verification, [secret])).toBeUndefined();
	return refusal(verification, call, [secret], now);
}

/** Another character of the same kind at the place. */
function change(text: string, index: number): string {
	const digit = text[index] === '1' ? '2' : '1';
	return text.slice(0, index) + digit + text.slice(index + 1);
}

/** Another key of the same kind. */
function otherKey({ secret, parameters }: Example): string {
	const settings = JSON.stringify(parameters);
	const der = ({ publicKey }: KeyPairKeyObjectResult) =>
		publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
	if (settings.includes('ecdsaP256'))
		return der(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
	if (settings.includes('"ed25519"')) return der(generateKeyPairSync('ed25519'));
	if (secret.startsWith('whpk_')) return `whpk_${der(generateKeyPairSync('ed25519'))}`;
	return change(secret, secret.length - 5);
}

describe.each(EXAMPLES)('$service ($source)', (example) => {
	const { body, headers, sentAt, query = '', unsigned = [], signature } = example;

	test('is let in', () => {
		expect(judge(example)).toBeUndefined();
	});

	test('is refused with any byte of the body changed', () => {
		for (const index of [0, body.length >> 1, body.length - 1])
			expect(judge({ ...example, body: change(body, index) })).toMatch(
				/^(the signature does not match|the query parameter "bodySHA256")/,
			);
		for (const other of ['', `${body} `, ` ${body}`])
			expect(judge({ ...example, body: other })).toEqual(expect.any(String));
	});

	test('is refused with another key', () => {
		expect(judge({ ...example, secret: otherKey(example) })).toMatch(
			/^the signature does not match/,
		);
	});

	test('is refused with any header changed or missing', () => {
		for (const [name, value] of Object.entries(headers).filter(
			([each]) => !unsigned.includes(each),
		)) {
			const others = Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
			expect(judge({ ...example, headers: others })).toMatch(/^(no header "|the body is no form)/);
			const part = signature !== undefined && value.includes(signature) ? signature : value;
			for (const index of [0, part.length >> 1, part.length - 3]) {
				const changed = value.replace(part, change(part, index));
				expect(judge({ ...example, headers: { ...headers, [name]: changed } })).toEqual(
					expect.any(String),
				);
			}
		}
	});

	if (query !== '') {
		test('is refused with another query', () => {
			for (const other of ['', query.replace('1', '2'), `${query}&x=1`])
				expect(judge({ ...example, query: other })).toEqual(expect.any(String));
		});
	}

	test('says the header that is missing, and nothing of the secret', () => {
		const reason = judge({ ...example, headers: { 'X-Other': example.secret } });
		expect(reason?.toLowerCase()).toMatch(/^no header ".+"; other headers that came: x-other$/);
	});

	if (sentAt === undefined) return;
	test('is refused when it is old, or ahead of time', () => {
		for (const [now, expected] of [
			[sentAt + 300_000, undefined],
			[sentAt - 300_000, undefined],
			[
				sentAt + 301_000,
				'it was sent 301 seconds (5.0 minutes) ago, and "Tolerance" in "Signature Settings" is 300: is the clock of n8n right?',
			],
			[
				sentAt - 301_000,
				'its time is 301 seconds (5.0 minutes) ahead, and "Tolerance" in "Signature Settings" is 300: is the clock of n8n right?',
			],
		] as const)
			expect(judge(example, now)).toBe(expected);
	});
});
