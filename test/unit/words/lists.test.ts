import { type FailedRequest, RequestFailure } from '../../../nodes/MessagingService/api/request';
import { describeWarning, failedList } from '../../../nodes/MessagingService/words/lists';
import { response } from '../helpers/api';

const READ: FailedRequest = {
	method: 'GET',
	path: '/public/messages',
	repeat: 'idempotent',
	timeout: 60_000,
	origin: 'https://messaging.example.com',
};

test('where the next page is refused, the warning has the reason of the service', () => {
	const failure = new RequestFailure(READ, response(400, '{"message":"No startDate"}'), 'refused');
	const warning = { kind: 'warning', reason: 'window', read: 50, total: 70, failure } as const;
	expect(describeWarning(warning, 'messages')).toBe(
		'The service reported 70 messages and gives only the first 50. To get the others, use the filters "After" and "Before". The service says: "No startDate".',
	);
});

test.each([0, 50])('links without an end are an error, also after %i entries', (read) => {
	const { message, ...more } = failedList({ kind: 'error', read }, 'messages');
	expect(message).toMatch(/links from one empty page to the next/);
	expect(more).toMatchObject({ description: expect.stringContaining(`after the first ${read} m`) });
});
