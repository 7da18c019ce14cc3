import { Notices } from '../../nodes/MessagingService/notices';
import { shown } from './helpers/call';

test('nothing noted is nothing shown', () => {
	expect(shown(new Notices())).toEqual([]);
});

test('the same words for several items become one notice, in the order of their first time', () => {
	const notices = new Notices();
	for (const words of ['First.', 'Second.', 'First.', 'First.']) notices.add(words);
	expect(shown(notices)).toEqual([
		{ message: 'First. (3 items)', type: 'warning', location: 'outputPane' },
		{ message: 'Second.', type: 'warning', location: 'outputPane' },
	]);
});
