import { isCountryCode, toE164 } from '../../../nodes/MessagingService/contacts/phone';

test.each([
	['+1 (555) 555-0100', '', '+15555550100'],
	['+33.6.12.34.56.00', '', '+33612345600'],
	['+1\u00a0555\u2011555\u20130100', '', '+15555550100'],
	['+49 170/1234567', '', '+491701234567'],
	['+49 234 123456-106', '', '+49234123456106'],
	['+6834002', '', '+6834002'],
	// What nobody sees, and wide signs.
	['\u202a+1555\u034f5550142\u202c', '', '+15555550142'],
	['\uff0b\uff11 (555) 555\uff0d0142', '', '+15555550142'],
	// Digits of other scripts.
	[
		'+\u0662\u0660\u0661\u0660\u0660\u0660\u0660\u0660\u0660\u0661\u0664\u0662',
		'',
		'+201000000142',
	],
	['\u096f\u0967 65055 50142', '91', '+916505550142'],
	['+\u{1d7d9}555555\u{1d7d8}142', '', '+15555550142'],
	// A zero after the country code that belongs to the number, or is in brackets.
	['+39 06 1234567', '', '+39061234567'],
	['+225 0123456789', '', '+2250123456789'],
	['+44 (0)20 7946 0958', '', '+442079460958'],
	['\u202a(+39) (0)6 1234567', '', '+39061234567'],
	// Completed by a country code.
	['(555) 555-0100', '1', '+15555550100'],
	['1 555 555 0100', '+1', '+15555550100'],
	['020 7946 0958', '44', '+442079460958'],
	['(0)20 7946 0958', '44', '+442079460958'],
	['8 912 345-67-89', '7', '+79123456789'],
	['06 1234 5678', '39', '+390612345678'],
	['8 (029) 491-19-11', '375', '+375294911911'],
	['447700900123', '44', '+447700900123'],
	['15112345678', '49', '+4915112345678'],
	['0170/1234567', '49', '+491701234567'],
	['1713920042', '49', '+491713920042'],
	['7700900142', '44', '+447700900142'],
	['5555550142', '1', '+15555550142'],
	['30 23125001', '49', '+493023125001'],
	// Without its "+", it cannot be told from a mobile number.
	['15555550142', '49', '+4915555550142'],
	// Behind a blank.
	[' 0171 3920042', '49', '+491713920042'],
	[' 1713920042', '49', '+491713920042'],
	[' 15555550142', '1', '+15555550142'],
	// With a "+", it would be no mobile number.
	[' 4722345678', '1', '+14722345678'],
	['+44 20 7946 0958', '1', '+442079460958'],
	// "00" in place of "+", where the default country dials so.
	['0049 170 1234567', '44', '+491701234567'],
	['0044 (0)20 7946 0958', '44', '+442079460958'],
	['0091 65055 50142', '91', '+916505550142'],
])('%j with the default country code %j is %s', (phone, countryCode, expected) => {
	expect(toE164(phone, countryCode)).toBe(expected);
});

/** What is refused, with the default country code where there is one. */
const REFUSED: Record<string, Array<[phone: string, countryCode?: string]>> = {
	'is not a phone number': [['call me'], [`+1 555 555 0142${' '.repeat(100)}1`]],
	'contains "CALL"': [['+1 555 CALL']],
	'contains "\u041e"': [['+1 555 555 \u041e142']],
	'contains "?"': [['+1 555 555\u00070142']],
	'contains "ext"': [['+1 555 555 0142 ext. 12']],
	'contains ","': [['030 23125001, 23125002', '49']],
	'does not begin with "+" and a country code': [
		['555'],
		['(555) 555-0100'],
		['15555550100'],
		// What "00" means differs from country to country.
		['0044 20 7946 0958', '1'],
		['0049 170 1234567', '65'],
		['0049 170 1234567'],
		['009 1 650 555 0142', '234'],
		['0065 9234 5678', '81'],
	],
	'has a country code that does not exist': [
		['+2105555550'],
		['++15555550100'],
		['00044 20 7946 0958', '44'],
	],
	'was calculated or shortened': [
		['+15555550142.0'],
		['1701234567.000', '49'],
		['171234567.5', '49'],
		['1.55556E+10'],
		['-23124982', '49'],
	],
	'may be two numbers': [
		['+1 555 555 0142 / 43'],
		['+49 30 23125001/2'],
		['0170 1234567/8', '49'],
		['+1 555 555 0142 +1 555 555 0143'],
		['+49 30 23125001\n2'],
	],
	'is not a valid number for country code 1': [
		['+1 555 0142'],
		['+1 055 555 5014'],
		['+1 555-555-0142-123'],
		['011 44 20 7946 0958', '1'],
		['07700 900123', '1'],
		['4917012345678', '1'],
	],
	'is not a valid number for country code 44': [
		['+44 12345678'],
		['+44 07700 900123'],
		// Other numbers there have nine digits.
		['+44 7911 12345'],
	],
	'is not a valid number for country code 49': [['+49 0170 1234567'], ['0049 0170 1234567', '44']],
	'is not a valid number for country code 52': [['044 55 1234 5678', '52']],
	'is not a valid number for country code 54': [['0 11 15 2345-6789', '54']],
	'is not a valid number for country code 375': [['+375 80 29 4911911']],
	'is not a valid number for country code 971': [['+971 050 123 4567']],
	'may be +494915123456789 or +4915123456789': [['4915123456789', '49']],
	// A sheet or a form that has lost the "+" of another country, and a landline without its zero.
	'may be +49447700900142 or +447700900142': [['447700900142', '49']],
	'may be +43442079460142 or +442079460142': [['442079460142', '43']],
	// The country code is there twice.
	'may be +91919876543210 or +919876543210': [['+91-91-9876543210']],
	'may be +49491701234567 or +491701234567': [
		['+49 49 170 1234567'],
		['0049 49 170 1234567', '49'],
		['049 170 1234567', '49'],
	],
	'may be +4933639980142 or +33639980142': [
		['33639980142', '49'],
		[' 33639980142', '49'],
	],
	'may be +4915555550142 or +15555550142': [
		[' 15555550142', '49'],
		[' 1 555 555 0142', '49'],
		['  1 (555) 555-0142 ', '49'],
	],
	'may be +4312125550142 or +12125550142': [['12125550142', '43']],
	'may be +442079460958 or +2079460958': [['2079460958', '44']],
	'may be +434407700900142 or +447700900142': [['4407700900142', '43']],
	'may be +6262812345678 or +62812345678': [['62812345678', '62']],
	'may be +393471234567 or +3903471234567': [['+39 (0)347 1234567']],
};

describe.each(Object.entries(REFUSED))('refused, as it %s:', (problem, numbers) => {
	test.each(numbers)('%j', (phone, countryCode = '') => {
		expect(toE164(phone, countryCode)).toMatchObject({ problem, advice: expect.any(String) });
	});
});

test.each([
	['+1555', 'have 10 digits'],
	['+441', 'have 7 or 9 or 10 digits'],
	['+491', 'have 5 to 13 digits'],
])('of %s, it says how long numbers are there', (phone, words) => {
	expect(toE164(phone)).toMatchObject({ advice: expect.stringContaining(words) });
});

test('whether a text is a country code', () => {
	expect(['1', '+44', '998'].filter(isCountryCode)).toHaveLength(3);
	expect(['0', '210', '15', '', 'US'].filter(isCountryCode)).toEqual([]);
});
