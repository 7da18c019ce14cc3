import { type IDataObject, validateFieldType } from 'n8n-workflow';
import { asObject, isInexact } from '../../api/json';
import { quote, quoteAll, shorten, toText } from '../../api/text';
import { toE164 } from '../../contacts/phone';
import { dropdown, type Field, type Named } from '../../panel/field';
import type { ItemParameters } from '../../panel/itemParameters';
import { isExpression } from '../../panel/gaps';
import { readJsonObject, refuseUnwritten } from '../../panel/jsonField';
import { readCountryCode, toPhone } from '../../panel/phoneField';
import { isBlank } from '../../panel/values';
import type { Item, Run } from '../operation';

const NOT_SENT = 'This item was not sent.';
/** The most characters of a gap that are quoted in a notice. */
const MAX_GAP_LENGTH = 100;
/** Phone numbers in a payload that is written as JSON, with expressions unresolved. */
const PHONES_IN_JSON = /"phone"\s*:\s*"((?:\{\{[\s\S]*?\}\}|[^"])*)"/g;
/** The names in a payload that the service itself acts on. */
const ACTED_ON = ['phone', 'outboundDial'];
/** The field types whose values are converted. Values of other types stay as they are. */
const CONVERTED_TYPES = ['number', 'boolean', 'object', 'array'] as const;

export const phoneField: Field = {
	displayName: 'Phone',
	name: 'phone',
	type: 'string',
	default: '',
	placeholder: 'e.g. +15555550142',
	description:
		'Phone number of the contact, with country code. The service finds or creates the contact and routes the conversation to the right inbox. It can also be the field "phone" of the payload.',
	advice: NOT_SENT,
};

/** The phone number in the payload. */
const PAYLOAD_PHONE = { displayName: 'Phone in the payload', advice: NOT_SENT };

export const startWithoutContactField: Field = {
	displayName: 'Start Without Contact',
	name: 'startWithoutContact',
	type: 'boolean',
	default: false,
	description:
		'Whether to start the agent also for items without a phone number. Nobody is texted then, unless the agent itself does so.',
};

export const outboundDialField: Field = {
	displayName: 'Outbound Dial',
	name: 'outboundDial',
	type: 'boolean',
	default: false,
	description:
		'Whether to send "outboundDial": true to the agent. Leave it out unless your service asks for it.',
};

const payloadModeField = dropdown({
	displayName: 'Payload',
	name: 'payloadMode',
	default: 'fields',
	description:
		'What else the agent should know, such as a first name. In the agent builder, it is in "webhookBody".',
	options: [
		{
			name: 'Fields',
			value: 'fields',
			description: 'Enter fields one by one, or drag them in from the input',
		},
		{ name: 'Input Item', value: 'input', description: 'Send all fields of the input item' },
		{ name: 'JSON', value: 'json', description: 'Write the payload as JSON' },
	],
});

const payloadFieldsField: Field = {
	displayName: 'Payload Fields',
	name: 'payloadFields',
	type: 'assignmentCollection',
	displayOptions: { show: { payloadMode: ['fields'] } },
	default: {},
	description: 'What the agent should know, field by field',
};

const payloadJsonField: Field = {
	displayName: 'Payload JSON',
	name: 'payloadJson',
	type: 'json',
	typeOptions: { rows: 5 },
	displayOptions: { show: { payloadMode: ['json'] } },
	default: '{}',
	placeholder: 'e.g. {"firstName": "Nathan", "plan": "trial"}',
	description: 'The payload as a JSON object',
};

export const payloadFields: Field[] = [payloadModeField, payloadFieldsField, payloadJsonField];

/**
 * Builds the body of a webhook call (interface, endpoint 9): the payload, with the two fields that the service itself
 * understands.
 *
 * @throws {Problem} when there is no phone number, unless the agent may start without a contact.
 */
export function readWebhookBody(item: Item, run: Run): IDataObject {
	const { parameters } = item;
	const { phone: inPayload, ...payload } = readPayload(item, run);
	const written = run.rawParameters.phone;
	const phone = readContactNumber(item, written, inPayload);
	const { options } = parameters;
	if (phone === undefined && !options.isOn(startWithoutContactField))
		failWithoutPhone(item, written);
	return {
		...(phone === undefined ? {} : { phone }),
		...payload,
		// The interface does not show its effect, so it is sent only if somebody has added the option.
		...(options.has(outboundDialField) && { outboundDial: options.isOn(outboundDialField) }),
	};
}

/** Fails for an item without a phone number, with the columns among which somebody may find it. */
function failWithoutPhone({ parameters, json }: Item, written: unknown): never {
	const { displayName: label } = phoneField;
	const names = Object.keys(json);
	const columns = names.length > 0 ? ` The item has: ${quoteAll(names)}.` : '';
	const reason = columns && 'Is the column with the numbers mapped?';
	const what = isBlank(written)
		? reason || 'Enter the number of the contact, with country code.'
		: 'The expression gives nothing for this item.';
	return parameters.fail(
		`"${label}" is empty`,
		`${what}${columns} If this agent needs no contact, turn on "${startWithoutContactField.displayName}" in the options. ${NOT_SENT}`,
	);
}

/** Fails for the name of a column that somebody has typed in place of its values. */
function refuseColumnName({ parameters, json }: Item, written: unknown): void {
	if (isExpression(written)) return;
	const typed = toText(written)?.trim().toLowerCase();
	const name = Object.keys(json).find((each) => each.trim().toLowerCase() === typed);
	if (!name) return;
	parameters.fail(
		`"${phoneField.displayName}" is the name of a column, ${quote(name)}, in place of its values`,
		`Drag the column from the input into the field. Or switch the field to "Expression", and enter {{ $json[${JSON.stringify(name)}] }}. ${NOT_SENT}`,
	);
}

/**
 * Reads the number of the contact, from the node or else from the payload; undefined when there is none. If an expression
 * in the node gives nothing for an item, the number in the payload is not used: it may be that of somebody else. A payload
 * with another number than the node is refused; anything else in its "phone" is ignored.
 */
function readContactNumber(
	item: Item,
	expression: unknown,
	inPayload: unknown,
): string | undefined {
	const { parameters } = item;
	refuseColumnName(item, expression);
	refuseGap(parameters, phoneField, parameters.value(phoneField), expression);
	const countryCode = readCountryCode(parameters);
	const read = (field: Named, value: unknown) => {
		const text = parameters.toText(field, value);
		if (text === undefined) return undefined;
		return toPhone(parameters, field, typeof value === 'string' ? value : text, countryCode);
	};
	if (isBlank(expression)) return read(PAYLOAD_PHONE, inPayload);
	const own = read(phoneField, parameters.value(phoneField));
	const other = toE164(toText(inPayload) ?? '', countryCode);
	if (typeof other !== 'string' || own === other) return own;
	const label = phoneField.displayName;
	return parameters.fail(
		`"${label}" is ${own ?? 'empty'} in the node but ${other} in the payload`,
		`Clear "${label}" to use that of the payload, or leave "phone" out of the payload. ${NOT_SENT}`,
	);
}

/** Fails for a number that lacks a part, such as the country code: the rest may be the number of somebody else. */
function refuseGap(
	parameters: ItemParameters,
	{ displayName: label }: Named,
	value: unknown,
	written: unknown,
): void {
	const gap = isBlank(value) ? undefined : parameters.findGap(value, written);
	if (gap === undefined) return;
	parameters.fail(
		`"${label}" lacks a part: ${gap} gives nothing`,
		`Compare the expression with the fields of the input, letter by letter. ${NOT_SENT}`,
	);
}

/** The index of the first item with a gap in a field, by what a notice says of it. */
class Gaps extends Map<string, number> {}

/** Tells the user of a field that has a gap, which the service gets as it is. */
function noteGap({ parameters }: Item, run: Run, label: string, gap: string | undefined): void {
	if (gap === undefined) return;
	const words = `${label} is empty or has a gap: ${shorten(gap, MAX_GAP_LENGTH)}. The text may read like "Hi ,".`;
	// The same gap of other items adds to the same notice.
	const gaps = run.shared(Gaps);
	const first = gaps.get(words) ?? parameters.itemIndex;
	gaps.set(words, first);
	run.notices.add(`Item ${first}: ${words}`);
}

function readPayload(item: Item, run: Run): IDataObject {
	const { parameters, json } = item;
	switch (parameters.choice(payloadModeField)) {
		case 'input':
			for (const [name, value] of Object.entries(json)) {
				noteGap(item, run, labelOf(name), parameters.findGap(value, undefined));
			}
			return json;
		case 'json': {
			const written = run.rawParameters.payloadJson;
			for (const [, phone] of String(written).matchAll(PHONES_IN_JSON)) {
				refuseGap(parameters, PAYLOAD_PHONE, parameters.evaluate(phone), `=${phone}`);
			}
			const payload = readJsonObject(parameters, payloadJsonField);
			const names = ACTED_ON;
			refuseUnwritten(parameters, payloadJsonField, { object: payload, written, names });
			const gap = parameters.findGap(payload, written);
			noteGap(item, run, `"${payloadJsonField.displayName}"`, gap);
			return payload;
		}
		case 'fields':
			return readFields(item, run);
	}
}

const labelOf = (name: string) => `the payload field "${name}"`;

function readFields(item: Item, run: Run): IDataObject {
	const { parameters } = item;
	const { assignments } = asObject(parameters.value(payloadFieldsField));
	if (!Array.isArray(assignments)) return {};
	const unresolved = [asObject(run.rawParameters.payloadFields).assignments].flat();
	const fields = assignments.map((assignment, index) => {
		const { name, value, type } = asObject(assignment);
		const field =
			parameters.toText(payloadFieldsField, name) ??
			parameters.fail(
				'A field of the payload has no name',
				'Enter its name, such as firstName, or remove the field.',
			);
		const { value: written } = asObject(unresolved[index]);
		if (field === 'phone') refuseGap(parameters, PAYLOAD_PHONE, value, written);
		else noteGap(item, run, labelOf(field), parameters.findGap(value, written));
		return [field, toType(parameters, field, value, type)] as const;
	});
	const names = fields.map(([name]) => name);
	const repeated = names.find((name, index) => names.indexOf(name) < index);
	if (repeated === undefined) return Object.fromEntries(fields);
	return parameters.fail(
		`The payload has the field "${repeated}" twice`,
		`Only one of them could be sent. Remove or rename the other one. ${NOT_SENT}`,
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
	// n8n would turn an empty text into a zero.
	if (!fieldType || isBlank(value)) return value;
	const converted = validateFieldType(field, value, fieldType);
	if (converted.valid && !isInexact(converted.newValue)) return converted.newValue;
	return parameters.fail(
		`The field "${field}" of the payload cannot be of the type "${fieldType}"`,
		'Change the type of the field, or its value. A number of more than 15 digits has to be a "String", or it would lose the last ones.',
	);
}
