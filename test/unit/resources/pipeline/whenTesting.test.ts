import type { IExecuteFunctions } from 'n8n-workflow';
import type { Item, Run } from '../../../../nodes/MessagingService/resources/operation';
import { recipientOf } from '../../../../nodes/MessagingService/resources/pipeline/whenTesting';
import { fake } from '../../helpers/fake';
import { parametersOf } from '../../helpers/parameters';

// n8n's engine alone has no loop.
test.each([
	[0, 'testNumber'],
	[1, 'nobody'],
])('in round %i of a loop, the first item goes to: %s', ($runIndex, recipient) => {
	const parameters = parametersOf({ whenTesting: 'testNumber' }, { itemIndex: 0 });
	const context = fake<IExecuteFunctions>({
		getMode: () => 'manual',
		getWorkflowDataProxy: () => ({ $runIndex }),
	});
	const run = fake<Run>({ context, notices: { add: () => {} } });
	expect(recipientOf(fake<Item>({ parameters }), run)).toBe(recipient);
});
