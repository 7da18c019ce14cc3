import { quote, withoutInvisible } from '../../api/text';
import { dropdown, type Field, nameOf, textField } from '../../panel/field';
import { chunksOf, isWordForNothing, type ItemParameters } from '../../panel/itemParameters';
import type { Item, Run, SendAgain, Unsent } from '../operation';
import type { WebhookCall } from './webhookCall';

const SKIPPED =
	'Skipped, because this phone number or key was sent before, in this run or an earlier one. If contacts share it, use "Once per Key", with a different key for each. To send it again, run it alone with "Send Again" set to "Everybody of This Run".';
const UNKNOWN =
	'Not sent again, because an earlier call may have been accepted. See who was texted with Message: Get Many, and run the others once with "Send Again" set to "Unknown".';
/** What is the same for all items. */
const OF_RUN =
	/\$(?:input|\((?:'[^']*'|"[^"]*"|`[^`]*`)\))\s*\.(?:first|last|all)\((?!\)\[\$itemIndex)/g;
/** Something of the item, and not only of the run, such as $itemIndex or $now. */
const OF_ITEM = /\$(?:\(|(?:json|input|items?|node|binary|parameter|fromAI)\b)/i;

const sendOnceField = dropdown({
	displayName: 'Send Once',
	name: 'sendOnce',
	noDataExpression: true,
	displayOptions: { hide: { '@tool': [true] } },
	default: 'off',
	// The hint is not at "Phone", because n8n shows the result of an expression in place of a hint there.
	hint: 'The first run after you turn this on still texts everybody',
	description:
		'Which items to skip because this node has sent them before, in any run. With another base URL or webhook, everybody is texted again. Refused items are not remembered.',
	options: [
		{ name: 'Off', value: 'off', description: 'Send every item in every run' },
		{
			name: 'Once per Key',
			value: 'key',
			description: 'Skip items whose key was used before, such as the ID of a contact',
		},
		{
			name: 'Once per Phone Number',
			value: 'phone',
			description: 'Skip items whose phone number was texted before, however it is written',
		},
	],
});

const keyField = textField(
	'Key',
	'key',
	'What tells the items apart, such as the ID of the contact. In a tool, do not select the stars, or the model makes up the key.',
	{
		displayOptions: { show: { sendOnce: ['key'] } },
		required: true,
		placeholder: 'e.g. {{ $json.leadId }}',
		hint: 'Of items with the same key, only the first is sent',
		advice: 'Each item needs a value of its own, such as the ID of the contact.',
	},
);

/** The fields that say whether to skip items that were sent before, and which key identifies an item. */
export const sendOnceFields: Field[] = [
	sendOnceField,
	// A tool has another default, since a model may repeat a call.
	{ ...sendOnceField, displayOptions: { show: { '@tool': [true] } }, default: 'phone' },
	keyField,
];

/** What to send a second time. */
export const sendAgainField = dropdown({
	displayName: 'Send Again',
	name: 'sendAgain',
	options: [
		{
			name: 'Nothing',
			value: 'nothing',
			description: 'Send only what was certainly not accepted before',
		},
		{
			name: 'Unknown',
			value: 'unknown',
			description: 'Also send to contacts who may have been texted',
		},
		{
			name: 'Everybody of This Run',
			value: 'everybody',
			description:
				'With "Send Once", send all items of this run, whatever was sent in earlier runs',
		},
	],
	default: 'nothing',
	description:
		'What to send again, in a retry or with "Send Once". Check your messages first, and afterwards set this back to "Nothing".',
});

/**
 * Reads the key that identifies an item of a webhook; undefined when "Send Once" is off.
 *
 * @throws {Problem} when different items would have the same key.
 */
export function readKey({ parameters }: Item, call: WebhookCall, run: Run): string | undefined {
	const sendOnce = parameters.choice(sendOnceField);
	if (sendOnce === 'off') return undefined;
	if (sendOnce === 'phone') return readPhoneKey(parameters, call);
	return readOwnKey(parameters, run.rawParameters.key);
}

/** Reads what to send a second time, and reminds the user of it. */
export function readSendAgain({ parameters }: Item, run: Run, hasKey: boolean): SendAgain {
	const sendAgain = parameters.options.choice(sendAgainField);
	// Without a key, everybody is texted anyway.
	if (sendAgain === 'nothing' || (sendAgain === 'everybody' && !hasKey)) return 'nothing';
	const setBack = `Set it back to "${nameOf(sendAgainField, 'nothing')}"`;
	const reminder =
		sendAgain === 'unknown'
			? `, which in a retry or with "Send Once" also sends to contacts who may have been texted. ${setBack} after this run.`
			: `. ${setBack} now, or each run sends its items again.`;
	const { displayName } = sendAgainField;
	run.notices.add(`"${displayName}" is "${nameOf(sendAgainField, sendAgain)}"${reminder}`);
	return sendAgain;
}

/** Tells the user why an item was not sent. */
export function noteUnsent(outcome: Unsent, { notices }: Run): void {
	if (outcome === 'skipped') notices.add(SKIPPED, 'info');
	else notices.add(UNKNOWN);
}

/** Tells the user with an accepted item of a list that the next run sends it again. */
export function noteRepeatable({ context, notices }: Run): void {
	if (context.getInputData().length === 1) return;
	const { displayName } = sendOnceField;
	notices.add(
		`Running this again sends these items again, because "${displayName}" is "${nameOf(sendOnceField, 'off')}".`,
		'info',
	);
}

function readOwnKey(parameters: ItemParameters, expression: unknown): string {
	const codes = chunksOf(expression).filter(({ isCode }) => isCode);
	if (!codes.some(({ text }) => OF_ITEM.test(text.replace(OF_RUN, '')))) {
		parameters.fail(
			`"${keyField.displayName}" has nothing of the item in it`,
			'Other items would have the same key, and not be sent. Switch the field to "Expression", and enter what differs, such as {{ $json.leadId }}.',
		);
	}
	// Keys that look the same have to be the same.
	const key = withoutInvisible(parameters.requiredText(keyField)).normalize('NFC').trim();
	// A text of nothing but separators has a gap in each of its parts.
	const isValue = /[\p{L}\p{N}]/u.test(key) && !isWordForNothing(key);
	const gap = isValue ? parameters.findGap(key, expression) : key;
	if (gap === undefined) return key;
	return parameters.fail(
		`"${keyField.displayName}" lacks a part: ${gap.startsWith('{') ? gap : quote(key)}`,
		`An expression in it gives nothing or a whole object, so other items could have the same key, and not be sent. ${keyField.advice}`,
	);
}

function readPhoneKey(parameters: ItemParameters, { body: { phone } }: WebhookCall): string {
	if (typeof phone === 'string') return phone;
	return parameters.fail(
		'An item without a phone number cannot be sent once per phone number',
		'It was not sent. Set "Send Once" to "Once per Key".',
	);
}
