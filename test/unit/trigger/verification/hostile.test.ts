/** Calls that nobody sends in good faith: none is let in, and none throws. */
import fc from 'fast-check';
import { verifierWith } from '../panel';
import { EXAMPLES } from './publishedExamples';

/** There are ten thousand in test/full, in a real n8n. */
const REACHED = 2_000;

/** That of no example, so that none of their signatures can be right. All schemes can read it. */
const SECRET = 'c0ffee'.repeat(10);

const cases = [
	...EXAMPLES,
	{ ...EXAMPLES[0], parameters: { headerName: 'X-Secret' }, headers: { 'X-Secret': SECRET } },
].map((example) => ({
	...example,
	place: Object.keys(example.headers).find((name) => /signature|secret/i.test(name)) ?? '',
	verify: verifierWith(example.parameters, [SECRET, 'b2xk']),
}));
const inQuery = verifierWith({ secretIn: 'query' }, [SECRET]);

const text = fc.string({ unit: 'binary', maxLength: 40 });
const digest = fc
	.constantFrom(20, 32, 64)
	.chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));

/** What may stand behind the prefix: digests that are not right, and what is none. */
const forgery = fc.oneof(
	digest.map((bytes) => Buffer.from(bytes).toString('hex')),
	digest.map((bytes) => Buffer.from(bytes).toString('base64')),
	fc.constantFrom('', '=', '0', 'null', 'true', '[object Object]', '__proto__', SECRET.slice(1)),
	fc.constantFrom(...EXAMPLES.flatMap(({ headers }) => Object.values(headers))),
	fc.tuple(text, fc.nat({ max: 200 })).map(([part, times]) => part.repeat(times)),
	text,
);
const odd = fc.oneof(text, forgery, fc.array(text), fc.constant('é,'.repeat(8_000)));

const call = fc.record({
	example: fc.constantFrom(...cases),
	forged: fc.array(forgery, { minLength: 1, maxLength: 2 }),
	body: fc.option(text, { nil: undefined }),
	query: fc.option(fc.dictionary(fc.constantFrom('secret', '__proto__'), odd)),
	others: fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'x-other'), odd),
});

test(`${REACHED} calls reach the comparison, and none is let in`, () => {
	let reached = 0;
	fc.assert(
		fc.property(call, ({ example, forged, body = example.body, query, others }) => {
			const { headers, place, verify, sentAt = 0 } = example;
			const prefix = /^(?:\w+=|v1,)/.exec(headers[place])?.[0] ?? '';
			const value = forged.map((each) => prefix + each).join(' ');
			const rawBody = Buffer.from(body);
			const sent = { headers: { ...others, ...headers, [place]: value }, query, rawBody };
			const reason = verify(sent, sentAt);
			expect([typeof reason, typeof inQuery(sent, sentAt)]).toEqual(['string', 'string']);
			expect(reason).not.toContain(SECRET);
			if (/does not match/.test(reason ?? '')) reached++;
		}),
		{ numRuns: REACHED * 1.2 },
	);
	expect(reached).toBeGreaterThanOrEqual(REACHED);
});
