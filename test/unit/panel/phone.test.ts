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
	['0015555550100', '+15555550100'],
	['00 1 555 555 0100', '+15555550100'],
	['+44 (0)20 7946 0958', '+442079460958'],
	['\u202a(+39) (0)6 1234567', '+39061234567'],
	['+6834002', '+6834002'],
	['+491234567890123', '+491234567890123'],
])('%j is dialled as %s', (phone, expected) => {
	expect(toE164(phone)).toBe(expected);
});

test.each([
	['call me', 'is not a phone number'],
	['+1 555 CALL', 'is not a phone number'],
	['5555550100, 5555550101', 'is not a phone number'],
	['555', 'needs a country code'],
	['(555) 555-0100', 'needs a country code'],
	['15555550100', 'needs a country code'],
	['+2105555550', 'has a country code that does not exist'],
	['+44 07700 900123', 'is no number of the country code 44'],
	['+15555550142.0', 'is a decimal number'],
	['4915112345678.00', 'is a decimal number'],
	['+155501', 'is too short'],
	['+1555555010012345', 'is too long'],
])('%j is refused: it %s', (phone, expected) => {
	expect(problemOf(phone)).toBe(expected);
});

test.each([
	['(555) 555-0100', '1', '+15555550100'],
	['1 555 555 0100', '+1', '+15555550100'],
	['020 7946 0958', '44', '+442079460958'],
	['8 912 345-67-89', '7', '+79123456789'],
	['06 1 234 5678', '36', '+3612345678'],
	['06 1234 5678', '39', '+390612345678'],
	['+39 (0)6 1234 5678', '1', '+390612345678'],
	['+44 (0)20 7946 0958', '39', '+442079460958'],
	['+44 20 7946 0958', '1', '+442079460958'],
	['0044 20 7946 0958', '1', '+442079460958'],
	['7700 900123', '44', '+447700900123'],
	['15112345678', '49', '+4915112345678'],
])('%j is completed by %s to %s', (phone, countryCode, expected) => {
	expect(toE164(phone, countryCode)).toBe(expected);
});

test.each(['011 44 20 7946 0958', '07700 900123', '06 12 34 56 78', '612345678', '555 0142'])(
	'%j is of another country than that of the code 1, and not completed',
	(phone) => {
		expect(problemOf(phone, '1')).toBe('is no number of the country code 1');
	},
);

test.each([
	['447700900123', '44'],
	['4915112345678', '49'],
	['4791234567', '47'],
	['4512345678', '45'],
	['6591234567', '65'],
	['4930123456', '49'],
	['393 123 4567', '39'],
	['33 6 12 34 56 78', '1'],
	['4917012345678', '1'],
])('%j may have the country code %s already, and is refused', (phone, countryCode) => {
	const digits = phone.replaceAll(' ', '');
	expect(problemOf(phone, countryCode)).toBe(`may be +${digits} or +${countryCode}${digits}`);
});

test.each(['+39 06 1234567', '+225 0123456789', '+229 0112345678'])(
	'the zero of %j belongs to the number',
	(phone) => {
		expect(toE164(phone)).toBe(phone.replaceAll(' ', ''));
	},
);

test.each([
	['1', true],
	['+44', true],
	['998', true],
	['0', false],
	['210', false],
	['15', false],
	['', false],
	['US', false],
])('whether %j is a country code: %p', (text, expected) => {
	expect(isCountryCode(text)).toBe(expected);
});

test('a number never becomes that of somebody else', () => {
	const texts = fc.string({ unit: fc.constantFrom(...'+0123456789 ().-x\u2013'), maxLength: 24 });
	fc.assert(
		fc.property(texts, (text) => {
			const number = toE164(text);
			if (typeof number !== 'string') return;
			expect(number).toMatch(/^\+[1-9]\d{6,14}$/);
			expect(text.trim()).toMatch(/^[\s().\u2013-]*(\+|0[\s().\u2013-]*0)/);
			expect(toE164(number)).toBe(number);
			expect(text.replace(/\(0\)/g, '').replace(/\D/g, '').replace(/^00/, '')).toBe(
				number.slice(1),
			);
		}),
		{ numRuns: 2_000 },
	);
});
