import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { quote, withoutInvisible } from '../../api/text';
import { isBlank, type ItemParameters } from '../../panel/parameters';
import type { Item, Run } from '../operation';
import type { WebhookCall } from './webhookCall';

const SKIPPED =
	'Skipped, because this key or phone number was sent before, in this run or an earlier one. If two contacts share this number or key, use "Once per Key" with what tells them apart. To send it again, turn on "Reset Sent History" for one run.';
const UNCERTAIN =
	'Not sent again, because an earlier call may have been accepted. Use Message: Get Many to see who was texted. Take those out of the input, then run the rest once with "Resend Uncertain".';
const KEY = {
	label: 'Key',
	advice:
		'Each item needs a value of its own, such as the ID of the contact, or it could be sent twice.',
};
/**
 * What an expression puts into a text for a field that is missing or is an object; or only what stands between. After a
 * dot, it is a name, as in jennifer.null@example.com.
 */
const NO_VALUE =
	/(?<![\p{L}\p{N}_.])(?:undefined|null|NaN)(?![\p{L}\p{N}_])|\[object Object\]|Invalid Date|^[^\p{L}\p{N}]*$/u;

/** An expression that has something of the item in it: not only of the run, such as $itemIndex or $now. */
const OF_ITEM = /^=.*\{\{.*\$(?:\(|(?:json|input|items?|node|binary|parameter|fromAI)\b).*\}\}/is;

const sendOnceField = {
	displayName: 'Send Once',
	name: 'sendOnce',
	type: 'options',
	noDataExpression: true,
	default: 'off',
	// Not at "Phone", because n8n shows the result of an expression in place of a hint there.
	hint: 'The first run after you turn this on still texts everybody',
	description:
		'Which items to skip because this node has sent them before. It remembers them over later runs and restarts. If you change the credential, base URL or webhook, everybody is texted again. An item that was refused is not remembered.',
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
	{ ...sendOnceField, displayOptions: { hide: { '@tool': [true] } } },
	// A model may repeat a call.
	{ ...sendOnceField, displayOptions: { show: { '@tool': [true] } }, default: 'phone' },
	{
		displayName: KEY.label,
		name: 'key',
		type: 'string',
		displayOptions: { show: { sendOnce: ['key'] } },
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.leadId }}',
		hint: 'Use an expression. Items with the same key count as one, and only the first is sent.',
		description:
			'What tells the items apart, such as the ID of the contact. In a tool of an AI agent, do not select the stars, or the model makes up the key.',
	},
];

export const resetHistoryField: INodeProperties = {
	displayName: 'Reset Sent History',
	name: 'sendAgain_EVERYBODY',
	type: 'boolean',
	displayOptions: { hide: { '/sendOnce': ['off'] } },
	default: false,
	description:
		'Whether to send the items of this run again, each once, regardless of earlier runs. Turn it off afterwards, or each run sends its items again.',
};

/** Whether items have keys, as far as "Send Once" can be read. */
export function haveKeys(parameters: ItemParameters): boolean {
	return (parameters.value(sendOnceField.name) ?? 'off') !== 'off';
}

/**
 * Reads the key that identifies an item of a webhook; undefined when "Send Once" is off.
 *
 * @throws {Problem} when it would be the same for items that are not the same.
 */
export function readKey({ parameters }: Item, call: WebhookCall, run: Run): string | undefined {
	const { value: sendOnce } = parameters.choice(sendOnceField, sendOnceField.options);
	if (sendOnce === 'off') return undefined;
	if (sendOnce === 'key') return readOnceKey(parameters, run.rawParameters.key);
	return readPhoneKey(parameters, call);
}

/** Tells the user why an item was not sent, where it was not. */
export function noteUnsent({ outcome }: IDataObject, { notices }: Run): void {
	if (outcome === 'skipped') notices.add(SKIPPED, 'info');
	if (outcome === 'uncertain') notices.add(UNCERTAIN);
}

function readOnceKey(parameters: ItemParameters, expression: unknown): string {
	if (!isBlank(expression) && !OF_ITEM.test(String(expression))) {
		parameters.fail(
			`"${KEY.label}" has nothing of the item in it`,
			`Other items would have the same key, and would not be sent. Switch "${KEY.label}" to "Expression" and enter what differs, such as {{ $json.leadId }}.`,
		);
	}
	// What looks the same is the same.
	const key = withoutInvisible(parameters.requiredText('key', KEY)).normalize('NFC').trim();
	const emptyPart = parameters.emptyPart(expression);
	if (emptyPart === undefined && !NO_VALUE.test(key)) return key;
	return parameters.fail(
		`"${KEY.label}" lacks a part: ${emptyPart ?? quote(key)}`,
		`An expression in it gives nothing, or a whole object instead of one of its fields, so other items could have the same key and would not be sent. ${KEY.advice}`,
	);
}

function readPhoneKey(parameters: ItemParameters, { body: { phone } }: WebhookCall): string {
	if (typeof phone === 'string') return phone;
	return parameters.fail(
		'An item without a phone number cannot be sent once per phone number',
		'There is no number to compare with those of other items, so it was not sent. Set "Send Once" to "Once per Key".',
	);
}
