import {
	comparable,
	hasContent,
	readContent,
} from '../../../../nodes/MessagingService/resources/message/content';
import {
	participantsOf,
	writersOf,
} from '../../../../nodes/MessagingService/resources/message/people';
import { failureOf, parametersOf } from '../../helpers/parameters';

const ADA = '+15555550100';
const INBOX = '+15555550199';

test.each([
	['one number', '+1 555 555 0100', [ADA]],
	['several', ' +15555550100, +1 555 555 0101 ,+15555550100', [ADA, '+15555550101']],
	['a list', [ADA, '+15555550101'], [ADA, '+15555550101']],
	['a number of a sheet, with a country code', 5555550100, [ADA]],
])('the filter Phone takes %s', (_name, phone, numbers) => {
	const parameters = parametersOf({ 'filters.phone': phone, 'options.defaultCountryCode': '1' });
	expect(readContent(parameters)?.contact?.numbers).toEqual(numbers);
});

test.each([
	['phone', ' , ', '"Phone" is empty'],
	['phone', '555 0100', '"Phone" has no country code with "+"'],
	['phone', 'call me', '"Phone" is not a phone number'],
	['phone', { value: ADA }, '"Phone" has to be text'],
	['direction', 'both', '"Direction" has to be inbound or outbound'],
	['status', ',', 'The filter "Status" has no value'],
])('the filter %s is refused with %j', (name, value, message) => {
	const problem = failureOf(() => readContent(parametersOf({ [`filters.${name}`]: value })));
	expect(problem.message).toBe(message);
	expect(problem.description).not.toBe('');
});

test('there is nothing to pick out without such a filter', () => {
	expect(readContent(parametersOf({ 'filters.after': '2026-01-31' }))).toBeUndefined();
});

test.each([
	['inbound', { direction: 'Inbound' }, { inbound: true }, true],
	['outbound', { direction: 'inbound' }, { inbound: false }, false],
	['of unknown direction', { direction: 'outbound' }, {}, false],
	['with the status', { status: 'FAILED, undelivered' }, { status: 'Undelivered' }, true],
	['with a status of its own', { status: 'held_by_carrier' }, { status: 'held_by_carrier' }, true],
	['with another status', { status: 'fail' }, { status: 'failed' }, false],
	['without a status', { status: 'failed' }, {}, false],
	['with the text', { text: 'Stop' }, { body: 'please STOP!' }, true],
	['with another text', { text: 'stop' }, { body: 'start' }, false],
	['without a text', { text: 'stop' }, {}, false],
	['with all of it', { text: 'a', status: 's' }, { body: 'a', status: 's' }, true],
	['with a part of it', { text: 'a', status: 's' }, { body: 'a', status: 't' }, false],
])('a message %s', (_name, filters, message, expected) => {
	const content = readContent(parametersOf({ filters }));
	expect(content && hasContent(comparable(message), content)).toBe(expected);
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
