import fc from 'fast-check';
import { isCountryCode, toE164 } from '../../../nodes/MessagingService/panel/phone';

const problemOf = (phone: string, countryCode?: string) => {
	const number = toE164(phone, countryCode);
	return typeof number === 'string' ? number : number.problem;
};

test.each([
	['+15555550100', '+15555550100'],
	['+1 (555) 555-0100', '+15555550100'],
	['+1.555.555.0100', '+15555550100'],
	['+33.6.12.34.56.00', '+33612345600'],
	['+1\u00a0555\u2011555\u20130100', '+15555550100'],
	['+49 170/1234567', '+491701234567'],
	['+49 234 123456-106', '+49234123456106'],
	['+6834002', '+6834002'],
	['+491234567890123', '+491234567890123'],
])('%j is dialled as %s', (phone, expected) => {
	expect(toE164(phone)).toBe(expected);
});

test.each([
	['call me', 'is not a phone number'],
	['+', 'is not a phone number'],
	['+\u0661\u0665\u0665', 'is not a phone number'],
	[`+1 555 555 0142${' '.repeat(100)}1`, 'is not a phone number'],
	['+1 555 CALL', 'contains "CALL"'],
	['+1 555 555 \u041e142', 'contains "\u041e"'],
	['+1 555 555\u00070142', 'contains "?"'],
	['+1 555 555 0142 x12', 'contains "x"'],
	['(555) 555-0142 (ext 12)', 'contains "ext"'],
	['+1 555 555 0142 #12', 'contains "#"'],
	['+1 555 555 0142 or 43', 'contains "or"'],
	['030 23125001, 23125002', 'contains ","'],
	['555', 'does not begin with "+" and a country code'],
	['(555) 555-0100', 'does not begin with "+" and a country code'],
	['15555550100', 'does not begin with "+" and a country code'],
	['+2105555550', 'has a country code that does not exist'],
	['++15555550100', 'has a country code that does not exist'],
	['+15555550142.0', 'was calculated or shortened'],
	['1.55556E+10', 'was calculated or shortened'],
	['1,55556e10', 'was calculated or shortened'],
	['-23124982', 'was calculated or shortened'],
	['\u2212 23124982', 'was calculated or shortened'],
	['+1 555 0142', 'is no number of the country code 1'],
	['+44 12345678', 'is no number of the country code 44'],
	['+1 555-555-0142-123', 'is no number of the country code 1'],
	['+1555555010012345', 'is no number of the country code 1'],
])('%j is refused: it %s', (phone, expected) => {
	expect(problemOf(phone)).toBe(expected);
});

test.each([
	'+1 555 555 0142 / 43',
	'+49 30 23125001/2',
	'0170 1234567/8',
	'+1 555 555 0142 +1 555 555 0143',
	'+1555+555014',
	'+49 30 23125001\n2',
])('%j may be two numbers', (phone) => {
	expect(problemOf(phone, '49')).toBe('may be two numbers');
});

test.each([
	['a variation selector', '+1555\ufe0d5550142'],
	['a filler', '+1555\u31645550142'],
	['a joiner', '+1555\u034f5550142'],
	['marks of the direction', '\u202a+15555550142\u202c'],
	['wide signs', '\uff0b\uff11 (555) 555\uff0d0142'],
])('%s makes no other number', (_name, phone) => {
	expect(toE164(phone)).toBe('+15555550142');
});

test.each([
	['(555) 555-0100', '1', '+15555550100'],
	['1 555 555 0100', '+1', '+15555550100'],
	['020 7946 0958', '44', '+442079460958'],
	['(0)20 7946 0958', '44', '+442079460958'],
	['8 912 345-67-89', '7', '+79123456789'],
	['06 1 234 5678', '36', '+3612345678'],
	['06 1234 5678', '39', '+390612345678'],
	['8 (029) 491-19-11', '375', '+375294911911'],
	['7700 900123', '44', '+447700900123'],
	['447700900123', '44', '+447700900123'],
	['15112345678', '49', '+4915112345678'],
	['4930123456', '49', '+4930123456'],
	['0170/1234567', '49', '+491701234567'],
	['393 123 4567', '39', '+393931234567'],
	['+39 (0)6 1234 5678', '1', '+390612345678'],
	['+44 20 7946 0958', '1', '+442079460958'],
])('%j is completed by %s to %s', (phone, countryCode, expected) => {
	expect(toE164(phone, countryCode)).toBe(expected);
});

test.each([
	['011 44 20 7946 0958', '1'],
	['07700 900123', '1'],
	['06 12 34 56 78', '1'],
	['612345678', '1'],
	['555 0142', '1'],
	['33 6 12 34 56 78', '1'],
	['4917012345678', '1'],
	['97 12 34 56', '229'],
	['0 11 15 2345-6789', '54'],
	['044 55 1234 5678', '52'],
])('%j is none of the country code %s, and not completed', (phone, countryCode) => {
	expect(problemOf(phone, countryCode)).toBe(`is no number of the country code ${countryCode}`);
});

test.each([
	['4915123456789', '49'],
	['62812345678', '62'],
])('%j may have the country code %s already, and is refused', (phone, countryCode) => {
	expect(problemOf(phone, countryCode)).toBe(`may be +${countryCode}${phone} or +${phone}`);
});

describe('a zero after the country code', () => {
	test.each(['+39 06 1234567', '+225 0123456789', '+229 0112345678'])(
		'belongs to the number in %j',
		(phone) => {
			expect(toE164(phone)).toBe(phone.replaceAll(' ', ''));
		},
	);

	test.each([
		['+44 07700 900123', '44'],
		['+971 050 123 4567', '971'],
		['+49 0170 1234567', '49'],
		['+375 80 29 4911911', '375'],
	])('is dialed at home only in %j', (phone, code) => {
		expect(problemOf(phone)).toBe(`is no number of the country code ${code}`);
	});

	test.each([
		['+44 (0)20 7946 0958', '+442079460958'],
		['+44(0) 7700 900123', '+447700900123'],
		['\u202a(+39) (0)6 1234567', '+39061234567'],
		['+39 (0)347 1234567', 'may be +393471234567 or +3903471234567'],
	])('in brackets is left out unless it belongs to the number: %j', (phone, expected) => {
		expect(problemOf(phone)).toBe(expected);
	});
});

describe('"00"', () => {
	test.each([
		['0049 170 1234567', '44', '+491701234567'],
		['00491701234567', '49', '+491701234567'],
		['00 1 555 555 0100', '44', '+15555550100'],
		['0044 (0)20 7946 0958', '44', '+442079460958'],
		['001-323-555-0142', '44', '+13235550142'],
		['0013235550142', '49', '+13235550142'],
		['0091 65055 50142', '91', '+916505550142'],
	])(
		'stands for "+" where the default country dials so: %j with %j',
		(phone, countryCode, expected) => {
			expect(toE164(phone, countryCode)).toBe(expected);
		},
	);

	test.each([
		['0044 20 7946 0958', '1'],
		['0049 170 1234567', '65'],
		['0049 170 1234567', undefined],
		['009 1 650 555 0142', undefined],
		['009 1 650 555 0142', '234'],
		['001 65 9234 5678', undefined],
		['001 65 9234 5678', '65'],
	])('may mean something else in %j with %j, and is refused', (phone, countryCode) => {
		expect(problemOf(phone, countryCode)).toMatch(/^begins with "00"/);
	});

	test.each([
		['0049 0170 1234567', 'is no number of the country code 49'],
		['0049 12', 'is no number of the country code 49'],
		['00044 20 7946 0958', 'has a country code that does not exist'],
	])('before what is no number is refused: %j', (phone, expected) => {
		expect(problemOf(phone, '44')).toBe(expected);
	});
});

test('whether a text is a country code', () => {
	expect(['1', '+44', '998'].filter(isCountryCode)).toHaveLength(3);
	expect(['0', '210', '15', '', 'US'].filter(isCountryCode)).toEqual([]);
});

test('a number never becomes that of somebody else', () => {
	const texts = fc.string({ unit: fc.constantFrom(...'+0123456789 ().-x/\u2013'), maxLength: 24 });
	fc.assert(
		fc.property(texts, (text) => {
			const number = toE164(text);
			if (typeof number !== 'string') return;
			expect(number).toMatch(/^\+[1-9]\d{6,14}$/);
			expect(text.trim()).toMatch(/^[\s()./]*\+/);
			expect(toE164(number)).toBe(number);
			expect(text.replace(/\(\s*0\s*\)/g, '').replace(/\D/g, '')).toBe(number.slice(1));
		}),
		{ numRuns: 2_000 },
	);
});
