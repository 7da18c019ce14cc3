/** Calls that nobody sends in good faith: none is let in, and none throws. */
import fc from 'fast-check';
import { callWith, verifierWith } from './call';
import { EXAMPLES } from './publishedExamples';

/** There are ten thousand in test/full, in a real n8n. */
const REACHED = 2_000;

/** That of no example, so that none of their signatures can be right. All schemes can read it. */
const SECRET = 'c0ffee'.repeat(10);

const cases = [
	...EXAMPLES.map((example) => ({ ...example, place: signatureHeaderOf(example.headers) })),
	{
		...EXAMPLES[0],
		parameters: { headerName: 'X-Secret' },
		headers: { 'X-Secret': SECRET },
		place: 'X-Secret',
	},
].map((example) => ({ ...example, verify: verifierWith(example.parameters, [SECRET, 'b2xk']) }));

function signatureHeaderOf(headers: Record<string, string>): string {
	return Object.keys(headers).find((name) => /signature(?:-256)?$/i.test(name)) ?? '';
}

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const text = fc.string({ unit: 'binary', maxLength: 40 });

/** What may stand behind the prefix: digests that are not right, and what is none. */
const forgery = fc.oneof(
	fc
		.tuple(fc.constantFrom(20, 32, 64).chain(bytes), fc.constantFrom('hex', 'base64'))
		.map(([digest, encoding]) => Buffer.from(digest).toString(encoding as BufferEncoding)),
	fc.constantFrom('', '=', '0', 'null', 'true', '[object Object]', '__proto__', SECRET.slice(1)),
	fc.constantFrom(...EXAMPLES.flatMap(({ headers }) => Object.values(headers))),
	fc.tuple(text, fc.nat({ max: 200 })).map(([part, times]) => part.repeat(times)),
	text,
);

test(`${REACHED} calls reach the comparison, and none is let in`, () => {
	let reached = 0;
	const odd = fc.oneof(text, forgery, fc.array(text), fc.constant('é,'.repeat(8_000)));
	const call = fc.record({
		example: fc.constantFrom(...cases),
		forged: forgery,
		isAlone: fc.boolean(),
		body: fc.option(text, { nil: undefined }),
		query: fc.option(fc.dictionary(fc.constantFrom('secret', '__proto__'), odd)),
		others: fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'x-other'), odd),
	});
	const inQuery = verifierWith({ secretIn: 'query' }, [SECRET]);
	fc.assert(
		fc.property(call, ({ example, forged, isAlone, body, query, others }) => {
			const { headers, place, verify, sentAt = 0 } = example;
			const prefix = /^(?:\w+=|v1,)/.exec(headers[place])?.[0] ?? '';
			const value = `${prefix}${forged}${isAlone ? '' : ` ${prefix}${forged}`}`;
			const rawBody = Buffer.from(body ?? example.body);
			const sent = callWith({ headers: { ...others, ...headers, [place]: value }, query, rawBody });
			const reason = verify(sent, sentAt);
			expect([typeof reason, typeof inQuery(sent, sentAt)]).toEqual(['string', 'string']);
			expect(reason).not.toContain(SECRET);
			if (/does not match/.test(reason ?? '')) reached++;
		}),
		{ numRuns: REACHED * 1.2 },
	);
	expect(reached).toBeGreaterThanOrEqual(REACHED);
});
