import type { INodeProperties } from 'n8n-workflow';
import { Problem } from '../../problem';
import { isOptionOn, resendUncertainField } from '../../panel/options';
import { isBlank, isExpression, type ItemParameters } from '../../panel/parameters';
import type { Item, OnceItem, OnlyOnce, Run } from '../operation';
import { readWebhookCall, type SendCall, type WebhookCall } from './webhookCall';

const SKIPPED =
	'Skipped, because this key or phone number was sent before. To send it again, turn on "Reset Sent History" for one run.';
const SHARED =
	'Skipped, because another item of this run has the same key or phone number. If they are not the same lead, tell them apart by a key.';
const UNCERTAIN =
	'Not sent again, because an earlier call may have been accepted. Use Message: Get Many to see who was texted, then send the others with "Resend Unconfirmed".';
const FORGETTING =
	'Sent regardless of earlier runs, because "Reset Sent History" is on. Turn it off now, or each run sends its items again.';
const RESENDING =
	'"Resend Unconfirmed" is on. Turn it off now, or each run sends again what stays unconfirmed.';
const FIXED_KEY = '"Key" is a fixed text, so nothing else is ever sent. Switch it to "Expression".';
const KEY = {
	label: 'Key',
	advice:
		'Each item needs a value of its own, such as the ID of the lead, or it could be sent twice.',
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

/** The fields that say whether to skip items that were sent before, and which key identifies an item. */
export const onceFields: INodeProperties[] = [
	{
		displayName: 'Send Once',
		name: 'sendOnce',
		type: 'options',
		noDataExpression: true,
		default: 'off',
		description:
			'Whether this node skips items that it has sent before. It remembers them over later runs and restarts, for each credential and webhook. An item that was refused is not remembered.',
		// The hint is not at "Phone", because n8n shows the result of an expression in place of a hint there.
		hint: 'If it is off or was just changed, a run texts everyone again',
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
		...keyField,
		displayOptions: { show: { sendOnce: ['key'] }, hide: { '@tool': [true] } },
		placeholder: 'e.g. {{ $json.leadId }}',
		hint: 'Needs an expression: of all items with the same key, only the first is ever sent',
		description: 'What tells the items apart, such as the ID of the lead',
	},
	{
		...keyField,
		displayOptions: { show: { sendOnce: ['key'], '@tool': [true] } },
		hint: 'Needs an expression with the phone number: see the documentation. Do not select the stars.',
		description: 'What may be texted only once, such as a phone number with the day',
	},
];

export const forgetKeysField: INodeProperties = {
	displayName: 'Reset Sent History',
	name: 'forgetKeys',
	type: 'boolean',
	displayOptions: { hide: { '/sendOnce': ['off'] } },
	default: false,
	description:
		'Whether to send the items of this run again, each once, regardless of earlier runs. It has no effect when an execution is retried. Turn it off afterwards, or each run sends its items again.',
};

/** Reads the key that identifies an item. */
type ReadKey = (item: Item, call: WebhookCall) => string;

/** Returns how to read the key of each item of a run; undefined when "Send Once" is off. */
export function keyReaderOf(run: Run): ReadKey | undefined {
	const { sendOnce = 'off', onceKey } = run.panel;
	switch (sendOnce) {
		case 'off':
			return undefined;
		case 'key':
			checkDiffers(onceKey, run);
			return ({ parameters }) => readOnceKey(parameters, onceKey);
		case 'phone':
			return ({ parameters }, call) => requirePhone(parameters, call);
		default:
			throw new Problem('"Send Once" has an unknown value', 'Choose one from its list.');
	}
}

/** Sends each item of a run once per key. Keys are remembered per account and webhook. */
export function sendOnceBy(readKey: ReadKey, run: Run, send: SendCall): OnlyOnce {
	const { accountKey, notices } = run;
	const keys = new Set<string>();
	const isRetry = run.context.getMode() === 'retry';
	const identify = (item: Item): OnceItem => {
		const call = readWebhookCall(run, item);
		const ownKey = readKey(item, call);
		const key = `once:${accountKey}:${call.id.toLowerCase()}:${ownKey}`;
		// A retry resumes where the execution stopped, so it must not forget what earlier tries have sent.
		const forget = isOptionOn(item.parameters, forgetKeysField) && !isRetry;
		const resend = isOptionOn(item.parameters, resendUncertainField);
		const isShared = keys.has(key);
		keys.add(key);
		return {
			key,
			forget,
			resend,
			request: async () => {
				if (forget) notices.add(FORGETTING);
				else if (resend && !isRetry) notices.add(RESENDING);
				return await send(item, call);
			},
			resultIfUnsent: (outcome) => {
				if (outcome === 'uncertain') notices.add(UNCERTAIN);
				else if (isShared) notices.add(SHARED);
				else notices.add(SKIPPED, 'info');
				const { phone } = call.body;
				const contact = phone === undefined ? {} : { phone };
				return { outcome, output: { [outcome]: true, key: ownKey, ...contact } };
			},
		};
	};
	return { identify };
}

/** Checks that the key is not a fixed text, which would be the same for every item of this run and of later ones. */
function checkDiffers(panel: unknown, { input, notices }: Run): void {
	if (isBlank(panel) || isExpression(panel)) return;
	if (input.length === 1) {
		notices.add(FIXED_KEY);
		return;
	}
	throw new Problem(
		`"${KEY.label}" is the same text for every item`,
		`Nothing was sent, since only one of them ever would be. Switch "${KEY.label}" to "Expression" and enter what differs, such as {{ $json.leadId }}.`,
	);
}

function readOnceKey(parameters: ItemParameters, panel: unknown): string {
	if (isBlank(parameters.raw('onceKey')) && parameters.isMissing(panel)) {
		parameters.failMissing(KEY);
	}
	const key = withoutInvisible(parameters.requiredText('onceKey', KEY));
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

/** A key without what nobody sees: joined accents, spaces that do not break, and characters of no width. */
function withoutInvisible(key: string): string {
	return key
		.normalize('NFC')
		.replace(/\p{Zs}/gu, ' ')
		.replace(/\p{Cf}/gu, '')
		.trim();
}

function requirePhone(parameters: ItemParameters, { body: { phone } }: WebhookCall): string {
	if (typeof phone === 'string') return phone;
	return parameters.fail(
		'An item without a phone number cannot be sent once per phone number',
		'There is no number to compare with those of other items, so it was not sent. Enter one in "Phone", or set "Send Once" to "Once per Key".',
	);
}
