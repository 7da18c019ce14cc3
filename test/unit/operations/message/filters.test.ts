import {
	matchesFilters,
	type MessageFilters,
	readMessageFilters,
} from '../../../../nodes/MessagingService/operations/message/filters';
import { ParsedMessage } from '../../../../nodes/MessagingService/operations/message/message';
import { failureOf, parametersOf } from '../../helpers/parameters';

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const AFTER = new Date('2026-01-31T08:00:00.250Z');
const BEFORE = new Date('2026-01-31T09:00:00.250Z');
const NONE: MessageFilters = { inboxIds: [], statuses: [], text: '' };
const ADA = '+15555550100';

const read = (filters: object, options: object = {}) =>
	readMessageFilters(parametersOf({ filters, options }), {});

describe('matchesFilters', () => {
	test.each([
		['its inbox', { inboxId: A }, { inboxIds: [B, A] }, true],
		['its inbox in capitals', { inboxId: A.toUpperCase() }, { inboxIds: [A] }, true],
		['another inbox', { inboxId: A }, { inboxIds: [B] }, false],
		['an unknown inbox', {}, { inboxIds: [B] }, true],
		['the lower bound itself', { created: AFTER.toISOString() }, { after: AFTER }, false],
		['the upper bound itself', { created: BEFORE.toISOString() }, { before: BEFORE }, true],
		['no date', { timestamp: null, created: 'soon' }, { after: AFTER }, true],
		[
			'its timestamp out, although it was created within',
			{ timestamp: '2026-02-01T00:00:00Z', created: '2026-01-31T08:30:00Z' },
			{ after: AFTER, before: BEFORE },
			false,
		],
	])('%s', (_name, message, filters, expected) => {
		expect(matchesFilters(new ParsedMessage(message), { ...NONE, ...filters })).toBe(expected);
	});

	test.each([
		['inbound', { direction: 'inbound' }, { inbound: true }, true],
		['outbound', { direction: 'inbound' }, { inbound: false }, false],
		['outbound in a word', { direction: 'inbound' }, { inbound: 'False' }, false],
		['outbound in a number', { direction: 'inbound' }, { inbound: 0 }, false],
		['outbound by its direction', { direction: 'inbound' }, { direction: 'OUTBOUND' }, false],
		['of unknown direction', { direction: 'outbound' }, {}, true],
		['with the status', { status: 'FAILED, undelivered' }, { status: 'Undelivered' }, true],
		['with another status', { status: 'fail' }, { status: 'failed' }, false],
		['with the text', { text: 'Stop' }, { body: 'please STOP!' }, true],
		['with the text in decomposed letters', { text: 'José' }, { body: 'Jose\u0301 here' }, true],
		['with a curly quote', { text: "don't" }, { body: 'I don’t  know' }, true],
		['of the contact', { phone: ADA }, { sender: 'Ada', members: ['15555550100'] }, true],
		['of somebody else', { phone: ADA }, { sender: '+15555550101', members: null }, false],
		['with a part of it', { text: 'a', status: 's' }, { body: 'a', status: 't' }, false],
	])('a message %s', (_name, filters, message, expected) => {
		expect(matchesFilters(new ParsedMessage(message), read(filters))).toBe(expected);
	});
});

describe('readMessageFilters', () => {
	test.each([
		['several', ' +15555550100, +1 555 555 0101 ,+15555550100', [ADA, '+15555550101']],
		['a list', [ADA, '+15555550101'], [ADA, '+15555550101']],
		['a number of a sheet, with a country code', 5555550100, [ADA]],
	])('takes %s as a contact', (_name, phone, numbers) => {
		expect(read({ phone }, { defaultCountryCode: '1' }).contact?.numbers).toEqual(numbers);
	});

	test.each([
		['phone', ['', ' '], 'The filter "Phone" has no value'],
		['phone', '555 0100', 'Phone "555 0100" does not begin with "+" and a country code'],
		['phone', { value: ADA }, '"Phone" has to be text'],
		['direction', 'both', '"Direction" has an unknown value: "both"'],
	])('refuses the filter %s with %j', (name, value, message) => {
		const problem = failureOf(() => read({ [name]: value }));
		expect(problem.message).toBe(message);
		expect(problem.description).not.toBe('');
	});
});
