import type { Item, Run } from '../operation';
import { readWebhookCall, type WebhookCall } from './webhookCall';

/** The phone numbers of the items of a run that could be read, by item index. */
export class Recipients extends Map<number, string> {}

/**
 * Reads a call and notes whom it is for. With the last item of the run, it tells the user how many have the same phone
 * number: an expression about the first item instead of each one texts the same person again and again.
 *
 * @throws {Problem} when one of its parameters cannot be used.
 */
export function readNotedCall(item: Item, run: Run): WebhookCall {
	const { itemIndex } = item.parameters;
	const recipients = run.shared(Recipients);
	try {
		const call = readWebhookCall(item, run);
		const { phone } = call.body;
		if (typeof phone === 'string') recipients.set(itemIndex, phone);
		return call;
	} finally {
		const itemCount = run.context.getInputData().length;
		if (itemIndex === itemCount - 1) noteSame(recipients, itemCount, run);
	}
}

function noteSame(recipients: Recipients, itemCount: number, { notices }: Run): void {
	const counts = new Map<string, number>();
	for (const phone of recipients.values()) counts.set(phone, (counts.get(phone) ?? 0) + 1);
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
