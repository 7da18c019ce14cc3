import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { withoutInvisible } from '../../api/invisible';
import { isBlank, isExpression, type ItemParameters } from '../../panel/parameters';
import type { Item, Run, Write } from '../operation';
import type { WebhookCall } from './webhookCall';

const SKIPPED =
	'Skipped, because this key or phone number was sent before. To send it again, turn on "Reset Sent History" for one run.';
const SHARED =
	'Skipped, because another item of this run has the same key or phone number. If they are not the same contact, tell them apart by a key.';
const UNCERTAIN =
	'Not sent again, because an earlier call may have been accepted. See who was texted with Message: Get Many. Take them out of the input, then run the rest once with "Resend Uncertain".';
const RESETTING =
	'Sent regardless of earlier runs, because "Reset Sent History" is on. Turn it off now, or each run sends its items again.';
const RESENDING =
	'"Resend Uncertain" is on. Turn it off now, or each run sends again what stays uncertain.';
const KEY = {
	label: 'Key',
	advice:
		'Each item needs a value of its own, such as the ID of the contact, or it could be sent twice.',
};
/** What an expression puts into a text for a field that is missing or is an object; or only what stands between. */
const NO_VALUE =
	/undefined|\[object Object\]|Invalid Date|(?<![\p{L}\p{N}])(?:null|NaN)(?![\p{L}\p{N}])|^[^\p{L}\p{N}]*$/u;

const keyField = {
	displayName: 'Key',
	name: 'onceKey',
	type: 'string',
	default: '',
	required: true,
} satisfies INodeProperties;

const sendOnceField = {
	displayName: 'Send Once',
	name: 'sendOnce',
	type: 'options',
	noDataExpression: true,
	default: 'off',
	description:
		'Whether this node skips items that it has sent before. It remembers them over later runs and restarts, for each credential, base URL and webhook: with another one, everybody is texted again. An item that was refused is not remembered.',
	options: [
		{
			name: 'Off',
			value: 'off',
			description: 'Send every item in every run',
		},
		{
			name: 'Once per Key',
			value: 'key',
			description: 'Skip items whose key was sent before, such as the ID of a contact',
		},
		{
			name: 'Once per Phone Number',
			value: 'phone',
			description: 'Skip items whose phone number was sent before, however it is written',
		},
	],
} satisfies INodeProperties;

/** The fields that say whether to skip items that were sent before, and which key identifies an item. */
export const onceFields: INodeProperties[] = [
	{
		...sendOnceField,
		displayOptions: { hide: { '@tool': [true] } },
		// The hint is not at "Phone", because n8n shows the result of an expression in place of a hint there.
		hint: 'What was sent before you turned this on is not remembered',
	},
	// A model may repeat a call.
	{ ...sendOnceField, displayOptions: { show: { '@tool': [true] } }, default: 'phone' },
	{
		...keyField,
		displayOptions: { show: { sendOnce: ['key'] }, hide: { '@tool': [true] } },
		placeholder: 'e.g. {{ $json.leadId }}',
		hint: 'Needs an expression: of all items with the same key, only the first is ever sent',
		description: 'What tells the items apart, such as the ID of the contact',
	},
	{
		...keyField,
		displayOptions: { show: { sendOnce: ['key'], '@tool': [true] } },
		hint: "Switch to Expression. To text each number once a day: {{ $fromAI('Phone', ``, 'string') }} {{ $today.toISODate() }}. Do not select the stars, or the model makes up the key.",
		description: 'What may be texted only once, such as a phone number with the day',
	},
];

export const resetHistoryField: INodeProperties = {
	displayName: 'Reset Sent History',
	name: 'forgetKeys',
	type: 'boolean',
	displayOptions: { hide: { '/sendOnce': ['off'] } },
	default: false,
	description:
		'Whether to send the items of this run again, each once, regardless of earlier runs. Turn it off afterwards, or each run sends its items again.',
};

/** The key of an item: as the user gave it, and as it is remembered, for each account and webhook. */
export interface OnceKey {
	ofItem: string;
	inStore: string;
	/** Whether an item before it in this run has the same. */
	isShared: boolean;
}

/**
 * Reads the key that identifies an item; undefined when "Send Once" is off.
 *
 * @throws {Problem} when it would be the same for items that are not the same.
 */
export function readKey({ parameters }: Item, call: WebhookCall, run: Run): OnceKey | undefined {
	const { value: sendOnce } = parameters.choice(sendOnceField, sendOnceField.options);
	if (sendOnce === 'off') return undefined;
	const ofItem =
		sendOnce === 'key'
			? readOnceKey(parameters, run.rawParameters.onceKey)
			: readPhoneKey(parameters, call);
	const inStore = `once:${run.accountKey}:${call.id.toLowerCase()}:${ofItem}`;
	const keys = run.shared('keys', () => new Set<string>());
	const isShared = keys.has(inStore);
	keys.add(inStore);
	return { ofItem, inStore, isShared };
}

/** Tells the user which options send what was sent before. */
export function noteOverrides({ resetHistory, resend }: Write, { notices }: Run): void {
	if (resetHistory) notices.add(RESETTING);
	else if (resend) notices.add(RESENDING);
}

/** Tells the user why an item was not sent, where it was not. */
export function noteUnsent(
	{ outcome }: IDataObject,
	{ isShared }: OnceKey,
	{ notices }: Run,
): void {
	if (outcome === 'uncertain') notices.add(UNCERTAIN);
	if (outcome !== 'skipped') return;
	if (isShared) notices.add(SHARED);
	else notices.add(SKIPPED, 'info');
}

function readOnceKey(parameters: ItemParameters, expression: unknown): string {
	if (!isBlank(expression) && !isExpression(expression)) {
		parameters.fail(
			`"${KEY.label}" is the same text for every item`,
			`Only one of them would ever be sent, in this run or any later one. Switch "${KEY.label}" to "Expression" and enter what differs, such as {{ $json.leadId }}.`,
		);
	}
	const key = asSeen(parameters.requiredText('onceKey', KEY));
	const emptyPart = parameters.emptyPart(expression);
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

/** A key in which nothing differs that looks the same: accents, spaces, and what nobody sees. */
function asSeen(key: string): string {
	return withoutInvisible(key)
		.normalize('NFC')
		.replace(/\p{Zs}/gu, ' ')
		.trim();
}

function readPhoneKey(parameters: ItemParameters, { body: { phone } }: WebhookCall): string {
	if (typeof phone === 'string') return phone;
	return parameters.fail(
		'An item without a phone number cannot be sent once per phone number',
		'There is no number to compare with those of other items, so it was not sent. Set "Send Once" to "Once per Key".',
	);
}
