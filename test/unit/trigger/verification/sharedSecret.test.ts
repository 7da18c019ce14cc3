import fc from 'fast-check';
import { callWith, refusal, verificationWith } from './call';

const SECRET = 'a-secret-of-32-characters-000001';
const NO_SECRET = /^no secret in the header "X-Secret"; other headers received: /;
const WRONG = 'the secret in the header "X-Secret" does not match that of the credential';

const withHeader = (value?: string | string[], secret = SECRET) => {
	const call = callWith({ headers: { 'x-secret': value } });
	return refusal(verificationWith({ headerName: 'X-Secret' }), call, [secret], 0);
};

const withQuery = (query: unknown, secret = SECRET) =>
	refusal(verificationWith({ secretIn: 'query' }), callWith({ query }), [secret], 0);

test.each<[string, string | string[] | undefined, string | RegExp]>([
	['no header', undefined, NO_SECRET],
	['an empty header', '', / received: x-secret \(empty\)$/],
	['a list of headers', [SECRET, SECRET], NO_SECRET],
	['"Bearer" elsewhere', `x Bearer ${SECRET}`, WRONG],
	['another scheme', `Basic ${SECRET}`, WRONG],
	['headers that were joined', `${SECRET}, ${SECRET}`, WRONG],
])('refuses %s', (_what, value, reason) => {
	expect(withHeader(value)).toMatch(reason);
});

test('only the secret itself is let in, also after "Bearer"', () => {
	for (const value of [SECRET, `Bearer ${SECRET}`, `bearer   ${SECRET}`])
		expect(withHeader(value)).toBeUndefined();
	const text = fc.string({ minLength: 1 });
	fc.assert(
		fc.property(text, text, (secret, given) => {
			const isLetIn = withHeader(given, secret) === undefined;
			expect(isLetIn).toBe([given, given.replace(/^Bearer +/i, '')].includes(secret));
		}),
	);
});

test('letters beyond ASCII are let in as senders write them, in UTF-8', () => {
	const secret = 'Schlüssel-für-Läden';
	// As Node.js reads it.
	expect(withHeader(Buffer.from(secret).toString('latin1'), secret)).toBeUndefined();
	expect(withHeader('Schlussel-fur-Laden', secret)).toBe(WRONG);
});

test('lets in the right secret in the query, also with plus signs that came in as spaces', () => {
	expect(withQuery({ secret: SECRET })).toBeUndefined();
	expect(withQuery({ secret: 'a b c=' }, 'a+b+c=')).toBeUndefined();
});

test.each([
	['no query', undefined],
	['a list', { secret: [SECRET] }],
	['an object', { secret: { toString: (): string => SECRET } }],
	['"Bearer"', { secret: `Bearer ${SECRET}` }],
])('refuses %s', (_what, query) => {
	expect(withQuery(query)).toMatch(/^(no|the) secret in the query "secret"/);
});

test.each(['__proto__', 'constructor'])('is not fooled by the name "%s"', (name) => {
	for (const secretIn of ['query', 'header']) {
		const verification = verificationWith({ secretIn, headerName: name, parameterName: name });
		expect(refusal(verification, callWith({}), [SECRET], 0)).toMatch(/^no secret/);
	}
});
