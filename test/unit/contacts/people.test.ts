import { peopleOf } from '../../../nodes/MessagingService/contacts/people';

const ADA = '+15555550100';
const GRACE = '+447911123456';
const INBOX = '+15555550199';

test.each([
	['in E.164', ADA, undefined, ADA],
	['without "+"', '15555550100', undefined, ADA],
	[
		'in digits of another script',
		'+\u0661\u0665\u0665\u0665\u0665\u0665\u0665\u0660\u0661\u0660\u0660',
		undefined,
		ADA,
	],
	['of another channel', 'whatsapp:+15555550100', undefined, ADA],
	['with what is dialed at home only', '+44 (0)7911 123456', undefined, GRACE],
	['national, with the country code', '07911 123456', '44', GRACE],
	['national, without it', '07911 123456', undefined, undefined],
	['national, with another one', '(555) 555-0100', '44', undefined],
	['without "+", with the digits of a number of another country', '15555550100', '49', ADA],
	['with the same last digits elsewhere', '+495555550100', undefined, undefined],
	['with the digits of a number elsewhere, national', '(155) 5555-0100', undefined, undefined],
	['nothing', null, undefined, undefined],
])('a number is recognized %s', (_name, sender, countryCode, expected) => {
	const numbers = peopleOf({ sender, members: [INBOX] }, countryCode).participants;
	expect(numbers.filter((number) => number === ADA || number === GRACE)).toEqual(
		expected === undefined ? [] : [expected],
	);
	expect(numbers).toContain(INBOX);
});

test.each([
	['its sender', { inbound: true, sender: ADA, members: [ADA, INBOX] }, [ADA]],
	['its sender, by a word', { direction: 'inbound-api', sender: ADA }, [ADA]],
	['its sender, by another', { direction: 'INBOUND_SMS', sender: ADA }, [ADA]],
	['its sender, by a short one', { direction: 'in', sender: ADA }, [ADA]],
	['nobody, if it is unknown', { direction: 'internal', sender: ADA }, []],
	['nobody, if it went out', { inbound: false, sender: ADA, members: [ADA] }, []],
	['one of two', { inbound: true, sender: 'Ada', members: [ADA, INBOX] }, [ADA, INBOX]],
])('a message was written by %s', (_name, message, expected) => {
	expect(peopleOf(message).writers).toEqual(expected);
});
