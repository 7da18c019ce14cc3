import fc from 'fast-check';
import {
	isPhoneNumber,
	PhoneIndex,
} from '../../../../nodes/MessagingService/resources/message/phoneIndex';

const ADA = '+15555550100';
const GRACE = '+447911123456';

function indexOf(countryCode?: string): PhoneIndex<string> {
	const index = new PhoneIndex<string>();
	index.add({ numbers: [ADA, '+15555550101'], countryCode }, 'Ada');
	index.add({ numbers: [GRACE], countryCode }, 'Grace');
	return index;
}

test.each([
	['in E.164', '+15555550100', ['Ada']],
	['as people write it', '+1 (555) 555-0100', ['Ada']],
	['without "+"', '15555550100', ['Ada']],
	['with 00', '0015555550100', ['Ada']],
	['of another channel', 'whatsapp:+15555550100', ['Ada']],
	['another one of the same contact', '+1 555 555 0101', ['Ada']],
	['with what is dialed at home only', '+44 (0)7911 123456', ['Grace']],
	['with the same last digits elsewhere', '+495555550100', []],
	['longer by a digit', '+155555501000', []],
	['without a country code', '(555) 555-0100', []],
	['national, as dialed there', '07911 123456', []],
	['a name', 'Ada', []],
	['nothing', '', []],
])('finds a number %s', (_name, text, expected) => {
	expect(indexOf().find([text])).toEqual(expected);
});

test('completes numbers of the service by the country code of the contact', () => {
	expect(indexOf('1').find(['(555) 555-0100'])).toEqual(['Ada']);
	expect(indexOf('44').find(['07911 123456'])).toEqual(['Grace']);
	expect(indexOf('44').find(['(555) 555-0100'])).toEqual([]);
});

test('says which numbers may be meant, but lack the country code to tell', () => {
	expect(indexOf().mayContain(['07911 123456'])).toBe(true);
	expect(indexOf().mayContain(['07911 123457', '+497911123456', 'Ada'])).toBe(false);
	expect(indexOf('44').mayContain(['07911 123456'])).toBe(false);
});

test('finds an entry once, and all that share a number', () => {
	const index = indexOf();
	index.add({ numbers: [ADA] }, 'Ada at work');
	expect(index.find([ADA, '15555550100', '+15555550101'])).toEqual(['Ada', 'Ada at work']);
});

test('never finds anybody by another number', () => {
	const numbers = fc
		.integer({ min: 2_000_000_000, max: 9_999_999_999 })
		.map((digits) => `+1${digits}`);
	fc.assert(
		fc.property(numbers, numbers, (wanted, other) => {
			const index = new PhoneIndex<string>();
			index.add({ numbers: [wanted] }, 'wanted');
			expect(index.find([other])).toEqual(wanted === other ? ['wanted'] : []);
		}),
	);
});

test.each([
	['+1 (555) 555-0100', true],
	['sms:15555550100', true],
	['Ada', false],
	['Ada 2', false],
	['', false],
	['-', false],
])('%j is a number: %s', (text, expected) => {
	expect(isPhoneNumber(text)).toBe(expected);
});
