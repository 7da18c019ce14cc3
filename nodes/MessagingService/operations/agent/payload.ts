import { type IDataObject, type INodeParameters, validateFieldType } from 'n8n-workflow';
import { asObject, isInexact } from '../../api/json';
import { dropdown, type Field } from '../../panel/field';
import type { ItemParameters } from '../../panel/itemParameters';
import { readJsonObject, readWritten } from '../../panel/jsonField';
import { isBlank } from '../../panel/values';
import type { Item, Run } from '../operation';
import { NOT_SENT, PAYLOAD_PHONE } from './contactNumber';

/** The names in a payload that the service itself acts on. */
const ACTED_ON = ['phone', 'outboundDial'];
/** The field types whose values are converted. Values of other types stay as they are. */
const CONVERTED_TYPES = ['number', 'boolean', 'object', 'array'] as const;

const payloadModeField = dropdown({
	displayName: 'Payload',
	name: 'payloadMode',
	default: 'fields',
	description:
		'What else the agent should know, such as a first name. In the agent builder, it is "webhookBody".',
	options: [
		{
			name: 'Fields',
			value: 'fields',
			description: 'Enter fields, or drag them in from the input',
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
	description: 'What the agent should know. A dot in a name makes no object.',
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

/** The phone number as it is written: in its own field, or else in the payload. */
export function writtenPhone({ phone, payloadFields, payloadJson }: INodeParameters): unknown {
	const fields = [asObject(payloadFields).assignments].flat().map(asObject);
	const field = fields.find(({ name }) => name === 'phone')?.value;
	return phone || field || (String(payloadJson).includes('phone') ? payloadJson : undefined);
}

/** Tells the user of a field that has a gap, which the service gets as it is. */
function noteGap(item: Item, run: Run, label: string, value: unknown, written?: unknown): void {
	const gap = item.parameters.findGap(value, written);
	if (gap === undefined) return;
	const words = `${label} is empty or has a gap: ${run.client.account.redactor.shown(gap)}`;
	run.notices.add(words, 'warning', item.parameters.itemIndex);
}

/**
 * Reads what else the agent should know.
 *
 * @throws {Problem} when it cannot be used.
 */
export function readPayload(item: Item, run: Run): IDataObject {
	const { parameters, json } = item;
	switch (parameters.choice(payloadModeField)) {
		case 'input':
			for (const [name, value] of Object.entries(json)) noteGap(item, run, labelOf(name), value);
			return json;
		case 'json': {
			const written = run.rawParameters.payloadJson;
			const payload = readJsonObject(parameters, payloadJsonField);
			const { phone } = readWritten(parameters, payloadJsonField, payload, written, ACTED_ON);
			parameters.refuseGap(PAYLOAD_PHONE, payload.phone, `=${String(phone)}`);
			noteGap(item, run, `"${payloadJsonField.displayName}"`, payload, written);
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
			parameters.fail('A field of the payload has no name', 'Name it, or remove it.');
		const { value: written } = asObject(unresolved[index]);
		if (field === 'phone') parameters.refuseGap(PAYLOAD_PHONE, value, written);
		else noteGap(item, run, labelOf(field), value, written);
		return [field, toType(parameters, field, value, type)] as const;
	});
	const names = fields.map(([name]) => name);
	const repeated = names.find((name, index) => names.indexOf(name) < index);
	if (repeated === undefined) return Object.fromEntries(fields);
	return parameters.fail(
		`The payload has the field "${repeated}" twice`,
		`Remove or rename one of them. ${NOT_SENT}`,
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
		'Change its type or its value. More than 15 digits have to be a "String".',
	);
}
