import type { IExecuteFunctions } from 'n8n-workflow';
import { Redactor } from '../../../nodes/MessagingService/api/secrets';
import { Notices } from '../../../nodes/MessagingService/run/report';
import { fake } from '../helpers/fake';

test('a warning stays one when the same words come again as an information', () => {
	const hints: unknown[] = [];
	const context = fake<IExecuteFunctions>({
		addExecutionHints: (hint: unknown) => hints.push(hint),
	});
	const notices = new Notices();
	notices.add('Look here.', 'warning');
	notices.add('Look here.', 'info');
	notices.show(context, new Redactor([]));
	expect(hints).toEqual([
		{ message: 'Look here. (2 items)', type: 'warning', location: 'outputPane' },
	]);
});
