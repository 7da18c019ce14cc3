/** Events signed by others, whole and with one thing changed. */
import { verifierWith } from '../panel';
import { EXAMPLES, SEVERAL_SIGNATURES, type Example } from './publishedExamples';

interface Changes extends Partial<Pick<Example, 'headers' | 'body' | 'secret'>> {
	/** Seconds since it was sent. */
	age?: number;
	secrets?: string[];
}

/** Why an example is refused with some changes; undefined when it is let in. */
function judge(example: Example, { age = 60, ...changes }: Changes = {}): string | undefined {
	const { parameters, secret, headers, body, sentAt = 0 } = { ...example, ...changes };
	const verify = verifierWith(parameters, changes.secrets ?? [secret]);
	return verify({ headers, rawBody: Buffer.from(body) }, sentAt + age * 1_000);
}

/** The text with another character of its kind at one place, for each place. */
function changesOf(text: string): string[] {
	return Array.from(text, (character, index) => {
		const other = /[1-9]/.test(character) ? '0' : '1';
		return text.slice(0, index) + other + text.slice(index + 1);
	});
}

describe.each(EXAMPLES)('$service ($source)', (example) => {
	const { body, headers, secret, sentAt } = example;

	test('is let in', () => {
		expect(judge(example)).toBeUndefined();
	});

	test('is refused with any byte of the body changed, or of a header, and without a header', () => {
		const bodies = [...changesOf(body), '', `${body} `, ` ${body}`];
		for (const other of bodies) expect(judge(example, { body: other })).toEqual(expect.any(String));
		for (const [name, value] of Object.entries(headers)) {
			for (const other of changesOf(value))
				expect(judge(example, { headers: { ...headers, [name]: other } })).toBeDefined();
			const others = Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
			expect(judge(example, { headers: others })).toMatch(/^no header "/);
		}
	});

	test('is let in with the previous secret beside the new one, and with no other secret', () => {
		const other = changesOf(secret).at(-5) ?? '';
		for (const secrets of [
			[other, secret],
			[secret, other],
		])
			expect(judge(example, { secrets })).toBeUndefined();
		expect(judge(example, { secrets: [other] })).toMatch(/^the signature does not match: check /);
	});

	if (sentAt === undefined) return;
	test('is refused when it is old, or ahead of time, in words about the clocks', () => {
		for (const age of [300, -300]) expect(judge(example, { age })).toBeUndefined();
		const words = judge(example, { age: 301 });
		expect(words).toMatch(
			/^the clock of the service is 301 seconds behind that of n8n, or the call/,
		);
		expect(words).toContain(new Date(sentAt + 301_000).toISOString());
		expect(judge(example, { age: -301 })).toMatch(
			/is 301 seconds ahead of that of n8n: n8n has 20/,
		);
	});
});

test.each(SEVERAL_SIGNATURES)('$service is let in', (example) => {
	expect(judge(example)).toBeUndefined();
	for (const body of changesOf(example.body))
		expect(judge(example, { body })).toMatch(/^the signature does not match/);
});
