import type { Item, Run } from '../operation';
import { readWebhookCall, type WebhookCall } from './webhookCall';

/** How many items have a phone number. */
class PhoneCounts extends Map<string, number> {}

/**
 * Reads a call, and tells the user with the last item of the run how many items have the same phone number: an expression
 * about the first item instead of each one texts the same person again and again.
 *
 * @throws {Problem} when one of its parameters cannot be used.
 */
export function readCountedCall(item: Item, run: Run): WebhookCall {
	const counts = run.shared(PhoneCounts);
	try {
		const call = readWebhookCall(item, run);
		const { phone } = call.body;
		if (typeof phone === 'string') counts.set(phone, (counts.get(phone) ?? 0) + 1);
		return call;
	} finally {
		const itemCount = run.context.getInputData().length;
		if (item.parameters.itemIndex === itemCount - 1) noteSame(counts, itemCount, run);
	}
}

function noteSame(counts: ReadonlyMap<string, number>, itemCount: number, { notices }: Run): void {
	const repeated = [...counts].filter(([, count]) => count > 1);
	if (repeated.length === 0) return;
	const count = repeated.reduce((sum, [, each]) => sum + each, 0);
	const isSame = repeated.length === 1 && count === itemCount;
	const shared = isSame
		? 'the same phone number:'
		: 'the same phone number as another one, such as';
	notices.add(
		`${count} of ${itemCount} items have ${shared} ${repeated[0][0]}. Where the numbers should differ, use a field of each item in "Phone", such as {{ $json.phone }}.`,
		isSame ? 'warning' : 'info',
	);
}
