import type { IExecuteFunctions } from 'n8n-workflow';
import { Notices } from '../../../nodes/MessagingService/run/notices';
import { fake } from '../helpers/fake';

test('the same words for several items become one notice, in the order of their first time', () => {
	const notices = new Notices();
	for (const words of ['First.', 'Second.', 'First.', 'First.']) notices.add(words);
	notices.add('Third.', 'info');
	const shown: unknown[] = [];
	const addExecutionHints = (...hints: unknown[]) => shown.push(...hints);
	notices.show(fake<IExecuteFunctions>({ addExecutionHints }));
	expect(shown).toEqual([
		{ message: 'First. (3 items)', type: 'warning', location: 'outputPane' },
		{ message: 'Second.', type: 'warning', location: 'outputPane' },
		{ message: 'Third.', type: 'info', location: 'outputPane' },
	]);
});
