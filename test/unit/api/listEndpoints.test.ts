import { messagesOf } from '../../../nodes/MessagingService/api/listEndpoints';
import { readAccount } from '../../../nodes/MessagingService/panel/credential';

test('a span of time is asked for in whole seconds that have all of it', () => {
	const account = readAccount({
		baseUrl: 'https://messaging.example.com',
		apiKey: 'key',
		overrideNames: true,
		dateFormat: 'unixSeconds',
	});
	const span = { after: new Date(1_769_846_400_001), before: new Date(1_769_846_460_001) };
	expect(messagesOf(account, { inboxIds: [], ...span }).request.query).toEqual([
		['startDate', '1769846400'],
		['endDate', '1769846461'],
	]);
});
