import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { callWith, problemWith, refusal, verificationWith as read } from './call';

const SECRET = 'a-secret-of-32-characters-000001';
const NO_SECRET =
	/^no secret in the header "X-Secret"; these headers came: (only the usual ones|x-secret)$/;
const WRONG = 'the secret in the header "X-Secret" does not match that of the credential';
const IN_HEADER = { headerName: 'X-Secret' };
const IN_QUERY = { secretIn: 'query' };

const withHeader = (
	value?: string | string[],
	secret = SECRET,
	parameters: IDataObject = IN_HEADER,
) => refusal(read(parameters), callWith({ headers: { 'x-secret': value } }), [secret], 0);

const withQuery = (query: unknown, secret = SECRET) =>
	refusal(read(IN_QUERY), callWith({ query }), [secret], 0);

test.each([
	['as it is', SECRET],
	['after "Bearer"', `Bearer ${SECRET}`],
	['after "bearer" and several blanks', `bearer   ${SECRET}`],
])('lets in the right secret %s', (_way, value) => {
	expect(withHeader(value)).toBeUndefined();
});

test.each<[string, string | string[] | undefined, string | RegExp]>([
	['no header', undefined, NO_SECRET],
	['an empty header', '', NO_SECRET],
	['a list of headers', [SECRET, SECRET], NO_SECRET],
	['another secret', 'b-secret-of-32-characters-000001', WRONG],
	['a longer one', `${SECRET}1`, WRONG],
	['its beginning', SECRET.slice(0, 8), WRONG],
	['its end', SECRET.slice(1), WRONG],
	['other case', SECRET.toUpperCase(), WRONG],
	['"Bearer" alone', 'Bearer ', WRONG],
	['"Bearer" elsewhere', `x Bearer ${SECRET}`, WRONG],
	['"Bearer" in between', SECRET.replace('-', 'Bearer -'), WRONG],
	['another scheme', `Basic ${SECRET}`, WRONG],
	['headers that were joined', `${SECRET}, ${SECRET}`, WRONG],
])('refuses %s', (_what, value, reason) => {
	expect(withHeader(value)).toMatch(reason);
});

test('only the secret itself is let in', () => {
	const text = fc.string({ minLength: 1 });
	fc.assert(
		fc.property(text, text, (secret, given) => {
			const isLetIn = withHeader(given, secret) === undefined;
			expect(isLetIn).toBe([given, given.replace(/^Bearer +/i, '')].includes(secret));
		}),
	);
});

test('reads the name of the header in any case', () => {
	for (const headerName of ['x-secret', 'X-SECRET', ' X-Secret '])
		expect(withHeader(SECRET, SECRET, { headerName })).toBeUndefined();
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
	['no query', {}],
	['no query object', undefined],
	['an empty value', { secret: '' }],
	['another value', { secret: 'x' }],
	['a list', { secret: [SECRET] }],
	['an object', { secret: { toString: (): string => SECRET } }],
	['another name', { Secret: SECRET }],
	['"Bearer"', { secret: `Bearer ${SECRET}` }],
])('refuses %s', (_what, query) => {
	expect(withQuery(query)).toMatch(
		/^(no secret in the query "secret"|the secret in the query "secret" does not match that of the credential)$/,
	);
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
	'is not fooled by the name "%s"',
	(name) => {
		for (const secretIn of ['query', 'header']) {
			const verification = read({ secretIn, headerName: name, parameterName: name });
			expect(refusal(verification, callWith({}), [SECRET], 0)).toMatch(/^no secret/);
		}
	},
);

test('an empty secret lets in nobody', () => {
	const reason = 'The credential has no webhook secret: enter it there, and try again';
	for (const value of [undefined, '', ' ', 'Bearer ', 'undefined', 'null'])
		expect(refusal(read(IN_HEADER), callWith({ headers: { 'x-secret': value } }), [], 0)).toBe(
			reason,
		);
	expect(refusal(read(IN_QUERY), callWith({ query: { secret: '' } }), [], 0)).toBe(reason);
	expect(problemWith(read({}), [])).toMatchObject({
		message: reason,
		description: expect.stringContaining('"Webhook Secret"'),
	});
	expect(problemWith(read({}), [SECRET])).toBeUndefined();
});
