import type { IExecuteFunctions } from 'n8n-workflow';
import type { Item, Run } from '../../../../nodes/MessagingService/operations/operation';
import { recipientOf } from '../../../../nodes/MessagingService/operations/agent/whenTesting';
import { fake } from '../../helpers/fake';
import { failureOf, parametersOf } from '../../helpers/parameters';

/** Who gets the first item with "Send One to Test Number". n8n's engine alone has no loop, and its retries no source. */
function recipientIn(
	mode: string,
	{ source, $runIndex = 0 }: { source?: string; $runIndex?: number },
) {
	const parameters = parametersOf({ whenTesting: 'testNumber' }, { itemIndex: 0 });
	const context = fake<IExecuteFunctions>({
		getMode: () => mode,
		getExecutionContext: () => (source === undefined ? undefined : { source }),
		getWorkflowDataProxy: () => ({ $runIndex }),
	});
	const run = fake<Run>({ context, notices: { add: () => {} } });
	return recipientOf(fake<Item>({ parameters }), run);
}

test.each([
	[0, 'testNumber'],
	[1, 'nobody'],
])('in round %i of a loop, the first item goes to: %s', ($runIndex, recipient) => {
	expect(recipientIn('manual', { $runIndex })).toBe(recipient);
});

test.each([
	['manual', 'testNumber'],
	['webhook', 'contact'],
])('in a retry of an execution that began by "%s", it goes to: %s', (source, recipient) => {
	expect(recipientIn('retry', { source })).toBe(recipient);
});

test('a retry of which n8n does not say how it began sends nothing', () => {
	expect(failureOf(() => recipientIn('retry', {})).message).toMatch(/does not say whether/);
});
