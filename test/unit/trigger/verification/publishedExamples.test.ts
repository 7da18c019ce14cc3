/** Events signed by others, whole and with one thing changed. */
import { callWith, problemWith, refusal, verificationWith } from './call';
import { EXAMPLES, type Example } from './publishedExamples';

/** Why a call is refused that was sent a minute ago. */
function judge(example: Example, now = (example.sentAt ?? 0) + 60_000): string | undefined {
	const { parameters, secret, headers, body } = example;
	const call = callWith({ headers, rawBody: Buffer.from(body) });
	const verification = verificationWith(parameters);
	expect(problemWith(verification, [secret])).toBeUndefined();
	return refusal(verification, call, [secret], now);
}

/** Another character of the same kind at the place. */
function change(text: string, index: number): string {
	const digit = text[index] === '1' ? '2' : '1';
	return text.slice(0, index) + digit + text.slice(index + 1);
}

describe.each(EXAMPLES)('$service ($source)', (example) => {
	const { body, headers, secret, sentAt, signature } = example;

	test('is let in', () => {
		expect(judge(example)).toBeUndefined();
	});

	test('is refused with any byte of the body changed', () => {
		for (const index of [0, body.length >> 1, body.length - 1])
			expect(judge({ ...example, body: change(body, index) })).toMatch(
				/^the signature does not match/,
			);
		for (const other of ['', `${body} `, ` ${body}`])
			expect(judge({ ...example, body: other })).toEqual(expect.any(String));
	});

	test('is refused with another key', () => {
		expect(judge({ ...example, secret: change(secret, secret.length - 5) })).toMatch(
			/^the signature does not match/,
		);
	});

	test('is refused with any header changed or missing', () => {
		for (const [name, value] of Object.entries(headers)) {
			const others = Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
			expect(judge({ ...example, headers: others })).toMatch(/^no header "/);
			const part = signature !== undefined && value.includes(signature) ? signature : value;
			for (const index of [0, part.length >> 1, part.length - 3]) {
				const changed = value.replace(part, change(part, index));
				expect(judge({ ...example, headers: { ...headers, [name]: changed } })).toEqual(
					expect.any(String),
				);
			}
		}
	});

	if (sentAt === undefined) return;
	test('is refused when it is old, or ahead of time', () => {
		for (const shift of [300_000, -300_000]) expect(judge(example, sentAt + shift)).toBeUndefined();
		expect(judge(example, sentAt + 301_000)).toBe(
			'it was sent 301 seconds ago, and the limit is 300: is the clock of n8n right?',
		);
		expect(judge(example, sentAt - 301_000)).toMatch(/^its time is 301 seconds ahead, /);
	});
});
