import type { IExecuteFunctions } from 'n8n-workflow';
import { Redactor } from '../../../nodes/MessagingService/api/secrets';
import { Notices } from '../../../nodes/MessagingService/run/notices';
import { fake } from '../helpers/fake';

test('the same words for several items become one notice, in the order of their first time', () => {
	const notices = new Notices(new Redactor(['key-of-the-team']));
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

test('the items that a notice names are told in order, as far as there is room', () => {
	const notices = new Notices(new Redactor(['key-of-the-team']));
	for (const index of [7, 3, 4]) notices.add('Several.', 'info', index);
	notices.add('One.', 'info', 5);
	for (let index = 0; index < 1_000; index += 2) notices.add('Many.', 'info', index);
	const shown: Array<{ message: string }> = [];
	const addExecutionHints = (hint: { message: string }) => shown.push(hint);
	notices.show(fake<IExecuteFunctions>({ addExecutionHints }));
	const [several, one, many] = shown.map(({ message }) => message);
	expect([several, one]).toEqual(['Several. (3 items: 3-4, 7)', 'One. (Item 5)']);
	expect(many).toMatch(/^Many\. \(500 items: 0, 2, 4, .*…\)$/);
	expect(many?.length).toBeLessThan(250);
});
