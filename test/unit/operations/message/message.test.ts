import { runInThisContext } from 'node:vm';
import type { IDataObject } from 'n8n-workflow';
import {
	MESSAGE_OUTPUT,
	oldestFirst,
	ParsedMessage,
} from '../../../../nodes/MessagingService/operations/message/message';

const { simplify } = MESSAGE_OUTPUT;
const dateOf = (message: IDataObject) => new ParsedMessage(message).date;

const MESSAGE = {
	id: 7,
	body: 'Hello',
	conversationId: 'c-1',
	inbound: true,
	members: ['+15555550100', '+15555550101'],
	sender: '+15555550100',
	senderType: 'contact',
	status: 'delivered',
	created: '2026-01-31T08:00:00Z',
	timestamp: '2026-01-31T08:00:01Z',
	inboxId: '11111111-1111-4111-8111-111111111111',
	error: 'Not delivered',
	errorCode: 30_003,
};

test('a message becomes flat, without a field that n8n takes for a failure', () => {
	expect(simplify(MESSAGE)).toEqual({
		id: 7,
		timestamp: '2026-01-31T08:00:01Z',
		inbound: true,
		sender: '+15555550100',
		members: '+15555550100, +15555550101',
		body: 'Hello',
		status: 'delivered',
		errorText: 'Not delivered',
		inboxId: '11111111-1111-4111-8111-111111111111',
		conversationId: 'c-1',
	});
});

describe('the date of a message', () => {
	// Jest gives tests a copy of the environment, which does not change the time zone.
	const { env }: { env: Record<string, string | undefined> } = runInThisContext('process');
	const zoneBefore = env.TZ;
	afterEach(() => {
		if (zoneBefore === undefined) delete env.TZ;
		else env.TZ = zoneBefore;
	});

	test.each(['2026-01-31T08:00:00', '2026-01-31 10:00:00+02', 1_769_846_400, '1769846400000'])(
		'%j is the same wherever n8n runs',
		(timestamp) => {
			env.TZ = 'America/New_York';
			expect(dateOf({ timestamp })).toBe(Date.parse('2026-01-31T08:00:00Z'));
		},
	);

	test('is that of its creation where it has no timestamp, also in what comes out', () => {
		const created = '2026-01-31T08:00:00Z';
		for (const timestamp of [undefined, null, '', 'soon', '0', '0001-01-01T00:00:00Z']) {
			expect(dateOf({ timestamp, created })).toBe(Date.parse(created));
			expect(simplify({ timestamp, created }).timestamp).toBe(created);
		}
		expect(dateOf({ timestamp: null, created: true })).toBeUndefined();
	});
});

test('messages come by date, and those of the same date by ID, in whatever order the service has them', () => {
	const at = (id: number | string, minute?: number) =>
		new ParsedMessage({ id, timestamp: minute && `2026-01-31T08:0${minute}:00Z` });
	const messages = [at(10, 1), at(9, 1), at('b', 2), at('a', 2), at(1, 3), at(2, 1), at(7), at(3)];
	const ordered = [3, 7, 2, 9, 10, 'a', 'b', 1];
	for (const list of [messages, [...messages].reverse()]) {
		expect(oldestFirst(list).map(({ json }) => json.id)).toEqual(ordered);
	}
});
