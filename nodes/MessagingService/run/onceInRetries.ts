import { isOptionOn, resendUncertainField } from '../panel/options';
import type { Handling, Item, OnceItem, OperationRun, Run } from '../resources/operation';
import { type Journal, UnknownOutcome } from './journal';

/** How a retried execution handles its items: a second retry sends nothing that the first has sent. */
export function onceInRetries(
	{ notices }: Run,
	operation: OperationRun,
	journal: Journal,
): Handling {
	if (!('execute' in operation)) return operation;
	const identify = (item: Item): OnceItem => ({
		key: journal.retryKeyOf(item.parameters.itemIndex),
		forget: false,
		resend: isOptionOn(item.parameters, resendUncertainField),
		request: async () => await operation.execute(item),
		resultIfUnsent: (outcome) => {
			if (outcome === 'uncertain') {
				const reason = 'Another retry of this execution left it unknown, or has not ended';
				return { outcome: 'unknown', error: new UnknownOutcome(reason) };
			}
			notices.add(
				'Another retry of this execution has already done this, so it was skipped.',
				'info',
			);
			return { outcome, output: { skipped: true } };
		},
	});
	return { identify };
}
