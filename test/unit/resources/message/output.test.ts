import { MESSAGE as OUTPUT } from '../../../../nodes/MessagingService/resources/message/output';

const { simplify } = OUTPUT;

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

test.each([null, undefined])(
	'a message whose timestamp is %p has the date of its creation',
	(timestamp) => {
		expect(simplify({ ...MESSAGE, timestamp }).timestamp).toBe('2026-01-31T08:00:00Z');
	},
);
