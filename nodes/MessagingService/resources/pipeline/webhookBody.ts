import { type IDataObject, type INodeProperties, validateFieldType } from 'n8n-workflow';
import { readPhone } from '../../panel/phoneField';
import { isBlank, isExpression, type ItemParameters } from '../../panel/parameters';
import { isLeftToModel } from '../../panel/tool';
import { isObject } from '../../api/json';
import type { Run } from '../operation';

const NOT_SENT = 'This item was not sent.';
const PHONE = { label: 'Phone', advice: NOT_SENT };
const PAYLOAD_PHONE = { label: 'phone in the payload', advice: NOT_SENT };
const NO_PHONE =
	'Nobody is texted, because there is no phone number. Fill in "Phone", unless the agent needs no contact.';
/** The field types whose values are converted. Values of other types stay as they are. */
const CONVERTED_TYPES = ['number', 'boolean', 'object', 'array'] as const;

/** The results of `hasPhoneField`, which is asked for each item. */
const withPhones = new WeakMap<readonly IDataObject[], boolean>();

export const phoneField: INodeProperties = {
	displayName: PHONE.label,
	name: 'phone',
	type: 'string',
	default: '',
	placeholder: 'e.g. +15555550142',
	description:
		'Phone number of the contact, with country code. The service finds or creates the contact and routes the conversation to the right inbox. Leave it empty only if the agent needs no contact.',
};

export const outboundDialField: INodeProperties = {
	displayName: 'Outbound Dial',
	name: 'outboundDial',
	type: 'boolean',
	default: false,
	description: 'Whether to set "outboundDial" for the agent. Ask your service what it does.',
};

const PAYLOAD_MODES = [
	{
		name: 'Fields',
		value: 'fields',
		description: 'Enter fields one by one, or drag them in from the input',
	},
	{ name: 'Input Item', value: 'input', description: 'Send all fields of the input item' },
	{ name: 'JSON', value: 'json', description: 'Write the payload as JSON' },
];

const payloadModeField: INodeProperties = {
	displayName: 'Payload',
	name: 'payloadMode',
	type: 'options',
	default: 'fields',
	description: 'What else the agent should know. The agent finds it in "webhookBody".',
	options: PAYLOAD_MODES,
};

export const payloadFields: INodeProperties[] = [
	payloadModeField,
	{
		displayName: 'Fields',
		name: 'payloadFields',
		type: 'assignmentCollection',
		displayOptions: { show: { payloadMode: ['fields'] } },
		default: {},
		description: 'What the agent should know, field by field',
	},
	{
		displayName: 'JSON',
		name: 'payloadJson',
		type: 'json',
		typeOptions: { rows: 5 },
		displayOptions: { show: { payloadMode: ['json'] } },
		default: '{}',
		placeholder: 'e.g. {"firstName": "Nathan", "plan": "trial"}',
		description: 'The payload as a JSON object',
	},
];

/**
 * Builds the body of a webhook call (interface, endpoint 9): the payload, with the two fields that the
 * service itself understands.
 */
export function readWebhookBody(
	parameters: ItemParameters,
	input: IDataObject,
	run: Pick<Run, 'input' | 'panel' | 'notices'>,
): IDataObject {
	const mode = parameters.choice(payloadModeField, PAYLOAD_MODES).value;
	const whole = readPayload(parameters, mode, input);
	const { phone: inPayload, outboundDial: dialInPayload, ...payload } = whole;
	const number = readContactNumber(parameters, run.panel.phone, inPayload);
	if (number === undefined) {
		const isInPayload = 'phone' in whole;
		checkNoNumber(parameters, { isInPayload, isInput: mode === 'input' }, run);
	}
	const words = { label: outboundDialField.displayName };
	const dial =
		parameters.boolean('options.outboundDial', words) ?? parameters.toBoolean(dialInPayload, words);
	return {
		...(number === undefined ? {} : { phone: number }),
		...(dial === undefined ? {} : { outboundDial: dial }),
		...payload,
	};
}

/** Reads the number of the contact, from the node or from the payload; undefined when there is none. */
function readContactNumber(
	parameters: ItemParameters,
	panel: unknown,
	inPayload: unknown,
): string | undefined {
	const emptyPart = parameters.emptyPart(panel);
	if (emptyPart !== undefined) {
		// A number that lacks a part, such as the country code, may be the number of somebody else.
		parameters.fail(
			`"${PHONE.label}" lacks a part: ${emptyPart} gives nothing`,
			`Compare the expression with the fields of the input, letter by letter. ${NOT_SENT}`,
		);
	}
	const own = readPhone(parameters, parameters.raw('phone'), PHONE);
	const other = readPhone(parameters, inPayload, PAYLOAD_PHONE);
	if (own === undefined || other === undefined || own === other) return own ?? other;
	return parameters.fail(
		`"${PHONE.label}" is ${own} in the node but ${other} in the payload`,
		'Leave one of them out, so that it is clear which one is meant.',
	);
}

/** Checks that the number was left out on purpose: some agents start without a contact. */
function checkNoNumber(
	parameters: ItemParameters,
	{ isInPayload, isInput }: { isInPayload: boolean; isInput: boolean },
	{ input, panel, notices }: Pick<Run, 'input' | 'panel' | 'notices'>,
): void {
	if (isLeftToModel(panel.phone)) {
		// "Accepted" would make the model tell the user that somebody was texted.
		parameters.fail(
			`"${PHONE.label}" is empty`,
			`The AI model gave no phone number. It has to ask for the number of the contact, with country code. ${NOT_SENT}`,
		);
	}
	if (parameters.isMissing(panel.phone)) {
		// Probably a misspelled column: agents would start, but nobody would be texted.
		parameters.failMissing({
			label: PHONE.label,
			advice: `If the agent needs no contact, leave "${PHONE.label}" empty. ${NOT_SENT}`,
		});
	}
	// An expression may give a number for some items only, and some items may have none.
	const isGiven = isExpression(panel.phone) || isInPayload;
	if (panel.sendOnce === 'key' && (isGiven || (isInput && hasPhoneField(input)))) {
		// Once the number is there, the contact would be skipped.
		parameters.fail(
			`"${PHONE.label}" is empty`,
			`Nobody would be texted, but "Send Once" would count the item as sent. Fill in "${PHONE.label}", or set "Payload" to "Fields" if the agent needs no contact. ${NOT_SENT}`,
		);
	}
	notices.add(NO_PHONE, isGiven || isInput ? 'warning' : 'info');
}

/** Whether any item of a run has a field such as "phone", "Phone" or "phoneNumber". */
function hasPhoneField(input: readonly IDataObject[]): boolean {
	const isOne = (name: string) => /^phone/i.test(name);
	const known = withPhones.get(input) ?? input.some((json) => Object.keys(json).some(isOne));
	withPhones.set(input, known);
	return known;
}

function readPayload(parameters: ItemParameters, mode: string, input: IDataObject): IDataObject {
	switch (mode) {
		case 'json':
			return parameters.object('payloadJson', { label: 'JSON' });
		case 'input':
			return input;
		default:
			return readFields(parameters);
	}
}

function readFields(parameters: ItemParameters): IDataObject {
	const assignments = parameters.raw('payloadFields.assignments');
	if (!Array.isArray(assignments)) return {};
	return Object.fromEntries(
		assignments.filter(isObject).map(({ name, value, type }) => {
			const field =
				parameters.toText(name, { label: 'Fields' }) ??
				parameters.fail(
					'A field of the payload has no name',
					'Enter its name, such as firstName, or remove the field.',
				);
			return [field, toType(parameters, field, value, type)];
		}),
	);
}

/** Converts a value to its chosen type. The panel stores lists, objects and results of expressions as text. */
function toType(
	parameters: ItemParameters,
	field: string,
	value: IDataObject[string],
	type: unknown,
): IDataObject[string] {
	const fieldType = CONVERTED_TYPES.find((each) => each === type);
	// n8n would make a zero of an empty text.
	if (!fieldType || isBlank(value)) return value;
	const converted = validateFieldType(field, value, fieldType);
	if (converted.valid) return converted.newValue;
	return parameters.fail(
		`The field "${field}" of the payload is not of the type "${fieldType}"`,
		'Change the type of the field, or its value.',
	);
}
