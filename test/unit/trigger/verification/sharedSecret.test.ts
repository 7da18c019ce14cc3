import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { callWith, refusal, verificationWith as read } from './call';

const SECRET = 'a-secret-of-32-characters-000001';
const NO_SECRET = /^no secret in the header "X-Secret"; other headers that came: /;
const WRONG = 'the secret in the header "X-Secret" does not match that of the credential';

const withHeader = (
	value?: string | string[],
	secret = SECRET,
	parameters: IDataObject = { headerName: 'X-Secret' },
) => refusal(read(parameters), callWith({ headers: { 'x-secret': value } }), [secret], 0);

const withQuery = (query: unknown, secret = SECRET) =>
	refusal(read({ secretIn: 'query' }), callWith({ query }), [secret], 0);

test.each<[string, string | string[] | undefined, string | RegExp]>([
	['no header', undefined, NO_SECRET],
	['a list of headers', [SECRET, SECRET], NO_SECRET],
	['"Bearer" alone', 'Bearer ', WRONG],
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

test('lets in letters beyond ASCII, which senders write in Latin-1 or in UTF-8', () => {
	const secret = 'Schlüssel-für-Läden';
	const utf8 = Buffer.from(secret).toString('latin1');
	for (const value of [secret, utf8, `Bearer ${utf8}`])
		expect(withHeader(value, secret)).toBeUndefined();
	expect(withHeader('Schlussel-fur-Laden', secret)).toBe(WRONG);
});

test('lets in the right secret in the query, also with plus signs that came in as blanks', () => {
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
		const verification = read({ secretIn, headerName: name, parameterName: name });
		expect(refusal(verification, callWith({}), [SECRET], 0)).toMatch(/^no secret/);
	}
});
