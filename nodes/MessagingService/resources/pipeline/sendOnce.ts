import type { INodeProperties } from 'n8n-workflow';
import { Problem } from '../../nodeError';
import { isOn } from '../../panel/options';
import type { Parameters } from '../../panel/parameters';
import type { Item, Keyed, Run } from '../operation';
import { readWebhookCall, type SendCall, type WebhookCall } from './webhookCall';

const SKIPPED = 'Skipped, because it was sent before.';
const UNCERTAIN =
	'Not sent again, because an earlier call may have been accepted. Check the service, then send it with "Resend Unconfirmed".';
const FORGETTING =
	'Sent regardless of earlier runs, because "Reset Sent History" is on. Turn it off now, or each run sends its items again.';
const KEY = {
	label: 'Key',
	advice:
		'Each item needs a value of its own, such as the ID of the lead, or it could be sent twice.',
};
/** What an expression makes of a field that is not there, or is an object. */
const NO_VALUE = /undefined|\[object Object\]/;

/** Whether an item is sent that was sent before, and how items are told apart. */
export const ONCE_FIELDS: INodeProperties[] = [
	{
		displayName: 'Send Once',
		name: 'sendOnce',
		type: 'options',
		noDataExpression: true,
		default: 'off',
		description:
			'Whether this node skips items that it has sent before. It remembers them over later runs and restarts, for each credential and webhook. An item that was refused is not remembered.',
		// Not at "Phone", where n8n shows the result of an expression in the place of a hint.
		hint: 'Off: every run texts everyone again',
		options: [
			{
				name: 'Off',
				value: 'off',
				description: 'Send every item in every run',
			},
			{
				name: 'Once per Key',
				value: 'key',
				description: 'Skip items whose key was sent before, such as the ID of a lead',
			},
			{
				name: 'Once per Phone Number',
				value: 'phone',
				description: 'Skip items whose phone number was sent before, however it is written',
			},
		],
	},
	{
		displayName: 'Key',
		name: 'onceKey',
		type: 'string',
		displayOptions: { show: { sendOnce: ['key'] } },
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.leadId }}',
		hint: 'Needs an expression: of all items with the same key, only the first is ever sent',
		description: 'What tells the items apart, such as the ID of the lead',
	},
];

export const forgetKeys: INodeProperties = {
	displayName: 'Reset Sent History',
	name: 'forgetKeys',
	type: 'boolean',
	displayOptions: { hide: { '/sendOnce': ['off'] } },
	default: false,
	description:
		'Whether to start over with the items of this run: each is sent once in this run, regardless of earlier runs, and remembered again. Other items stay remembered. Turn it off afterwards, or each run sends its items again.',
};

const VALUES = ['off', 'phone', 'key'] as const;

/** How the items of a run are sent once. What is remembered belongs to the account and the webhook. */
export class SendOnce {
	private readonly run: Run;
	private readonly by: 'phone' | 'key';
	private readonly send: SendCall;
	/** How many items of this run have each key. */
	private readonly counts = new Map<string, number>();

	private constructor(run: Run, by: SendOnce['by'], send: SendCall) {
		this.run = run;
		this.by = by;
		this.send = send;
	}

	/** What is sent once in a run; undefined where everything is sent. It is the same for all items. */
	static of(run: Run, send: SendCall): SendOnce | undefined {
		const { sendOnce = 'off' } = run.panel;
		const by = VALUES.find((each) => each === sendOnce);
		if (by === 'off') return undefined;
		if (by) return new SendOnce(run, by, send);
		throw new Problem('"Send Once" has an unknown value', 'Choose one from its list.');
	}

	/** Reads what the ledger knows an item by. */
	identify(item: Item): Keyed {
		const { account, notices } = this.run;
		const { call, key } = this.read(item);
		const { phone } = call.body;
		const forget = isOn(item.parameters, forgetKeys);
		this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
		return {
			key: `once:${account}:${call.id.toLowerCase()}:${key}`,
			forget,
			send: async () => {
				if (forget) notices.add(FORGETTING);
				return await this.send(item, call);
			},
			resultUnsent: (outcome) => {
				if (outcome === 'skipped') notices.add(SKIPPED, 'info');
				else notices.add(UNCERTAIN);
				const contact = phone === undefined ? {} : { phone };
				return { outcome, output: { [outcome]: true, key, ...contact } };
			},
		};
	}

	/** Reads the call of an item, and what tells it apart from others. */
	read(item: Item): { call: WebhookCall; key: string } {
		const call = readWebhookCall(this.run, item);
		const { parameters } = item;
		const { onceKey } = this.run.panel;
		const key = this.by === 'key' ? readKey(parameters, onceKey) : readNumber(parameters, call);
		return { call, key };
	}

	/** Says which items of the run were not sent, since others have their key. */
	warnOfSharedKeys(): void {
		const shared = [...this.counts].filter(([, count]) => count > 1);
		const [most, ...others] = shared.sort(([, count], [, other]) => other - count);
		if (!most) return;
		const [key, count] = most;
		const what = this.by === 'key' ? 'key' : 'phone number';
		const more = others.length === 0 ? '' : ` The same goes for ${others.length} other ${what}s.`;
		const advice =
			this.by === 'key'
				? ' If they are not the same lead, choose a key that tells them apart.'
				: '';
		this.run.notices.add(
			`${count} items have the ${what} "${key}", so only one of them is ever sent.${more}${advice}`,
		);
	}
}

function readKey(parameters: Parameters, panel: unknown): string {
	const key = parameters.requiredText('onceKey', KEY);
	const emptyPart = parameters.emptyPart(panel);
	if (emptyPart !== undefined) {
		parameters.fail(
			`"${KEY.label}" lacks a part: ${emptyPart} gives nothing`,
			`All items without it would have the same key, and only one of them would be sent. ${KEY.advice}`,
		);
	}
	if (!NO_VALUE.test(key)) return key;
	return parameters.fail(
		`"${KEY.label}" lacks a value: "${key}"`,
		`The expression names a field that the item does not have, or that holds more than a text. ${KEY.advice}`,
	);
}

function readNumber(parameters: Parameters, { body: { phone } }: WebhookCall): string {
	if (typeof phone === 'string') return phone;
	return parameters.fail(
		'An item without a phone number cannot be sent once per phone number',
		'There is no number to compare with those of other items, so it was not sent. Enter one in "Phone", or set "Send Once" to "Once per Key".',
	);
}
