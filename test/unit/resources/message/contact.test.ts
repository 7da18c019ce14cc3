import fc from 'fast-check';
import {
	participantsOf,
	PhoneIndex,
	writersOf,
} from '../../../../nodes/MessagingService/resources/message/contact';

const ADA = '+15555550100';
const GRACE = '+447911123456';
const INBOX = '+15555550199';

function indexOf(countryCode?: string): PhoneIndex<string> {
	const index = new PhoneIndex<string>(countryCode);
	index.add({ numbers: [ADA, '+15555550101'] }, 'Ada');
	index.add({ numbers: [GRACE] }, 'Grace');
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

test('completes numbers of the service by the country code', () => {
	expect(indexOf('1').find(['(555) 555-0100'])).toEqual(['Ada']);
	expect(indexOf('44').find(['07911 123456'])).toEqual(['Grace']);
	expect(indexOf('44').find(['(555) 555-0100'])).toEqual([]);
});

test.each([
	['07911 123456', undefined, true],
	['07911 123457', undefined, false],
	['+497911123456', undefined, false],
	['Ada', undefined, false],
	['07911 123456', '44', false],
])('%j may be meant, but lacks the country code %j: %s', (text, countryCode, expected) => {
	const index = indexOf(countryCode);
	index.find([text]);
	expect(index.hasUnclear).toBe(expected);
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
	['its sender', { inbound: true, sender: ADA, members: [ADA, INBOX] }, [ADA]],
	['its sender, also without a direction', { sender: ADA, members: [INBOX] }, [ADA]],
	['nobody, if it went out', { inbound: false, sender: ADA, members: [ADA] }, []],
	['one of two', { inbound: true, sender: 'Ada', members: [ADA, INBOX] }, [ADA, INBOX]],
	['one of two in a text', { inbound: true, members: `${ADA}, ${INBOX}` }, [ADA, INBOX]],
	[
		'nobody, if it may be one of more',
		{ inbound: true, sender: 'Ada', members: [ADA, INBOX, '+15555550101'] },
		[],
	],
	['nobody, if nothing is known', { sender: 'Ada', members: [ADA, INBOX] }, []],
])('a message was written by %s', (_name, message, expected) => {
	expect(writersOf(message)).toEqual(expected);
});

test('all who take part are the sender and the members, whatever they are written as', () => {
	expect(participantsOf({ sender: ADA, members: [INBOX, null, 7] })).toEqual([ADA, INBOX, '7']);
	expect(participantsOf({ members: null })).toEqual([]);
});
