import { type IDataObject, type NodeParameterValueType, validateFieldType } from 'n8n-workflow';
import { readPhone } from '../../panel/phoneField';
import type { Parameters } from '../../panel/parameters';
import { isLeftToModel } from '../../panel/tool';
import { isObject } from '../../api/json';
import type { Run } from '../operation';

const CONVERTED_TYPES = ['number', 'boolean', 'object', 'array'] as const;
const NOT_SENT = 'This item was not sent.';
const PHONE = { label: 'Phone', advice: NOT_SENT };
const PAYLOAD_PHONE = { label: 'phone in the payload', advice: NOT_SENT };
const OUTBOUND_DIAL = { label: 'Outbound Dial' };

/**
 * Builds the body of a webhook call (interface, endpoint 9): the payload, with the two fields that the
 * service itself understands.
 */
export function readWebhookBody(
	parameters: Parameters,
	input: IDataObject,
	{ panel, notices }: Pick<Run, 'panel' | 'notices'>,
): IDataObject {
	const { phone, outboundDial, ...payload } = readPayload(parameters, input);
	const number = readNumber(parameters, panel.phone, phone);
	const wanted = isExpression(panel.phone) ? PHONE : phone !== undefined && PAYLOAD_PHONE;
	if (number === undefined) {
		if (wanted) notices.add(`"${wanted.label}" is empty, so the agent has no contact to text.`);
		else notices.add('No phone number was given, so the agent has no contact to text.', 'info');
	}
	const dial =
		parameters.boolean('options.outboundDial', OUTBOUND_DIAL) ??
		parameters.toBoolean(outboundDial, OUTBOUND_DIAL);
	return {
		...(number === undefined ? {} : { phone: number }),
		...(dial === undefined ? {} : { outboundDial: dial }),
		...payload,
	};
}

/** Reads the number of the contact, from the node or from the payload; undefined when the agent needs none. */
function readNumber(
	parameters: Parameters,
	panel: NodeParameterValueType,
	inPayload: unknown,
): string | undefined {
	const emptyPart = parameters.emptyPart(panel);
	if (emptyPart !== undefined) {
		// Without its country code, for example, a number is that of somebody else.
		parameters.fail(
			`"${PHONE.label}" lacks a part: ${emptyPart} gives nothing`,
			`Compare the expression with the fields of the input, letter by letter. ${NOT_SENT}`,
		);
	}
	const own = readPhone(parameters, parameters.raw('phone'), PHONE);
	const other = readPhone(parameters, inPayload, PAYLOAD_PHONE);
	if (own !== undefined && other !== undefined && own !== other) {
		parameters.fail(
			`"${PHONE.label}" is ${own} in the node but ${other} in the payload`,
			'Leave one of them out, so that it is clear which one is meant.',
		);
	}
	const number = own ?? other;
	if (number === undefined && isLeftToModel(panel)) {
		// "Accepted" would make the model tell the user that somebody was texted.
		parameters.fail(
			`"${PHONE.label}" is empty`,
			`The AI model gave no phone number. It has to ask for the number of the contact, with country code. ${NOT_SENT}`,
		);
	}
	if (number === undefined && isExpression(panel) && parameters.isMissing('phone')) {
		// A column by a wrong name: agents would be started, and no lead texted.
		parameters.fail(
			`The expression in "${PHONE.label}" gives nothing`,
			`It may name a field that the item does not have: compare it with the fields of the input, letter by letter. If the agent needs no contact, leave "${PHONE.label}" empty. ${NOT_SENT}`,
		);
	}
	return number;
}

function isExpression(value: unknown): boolean {
	return typeof value === 'string' && value.startsWith('=');
}

function readPayload(parameters: Parameters, input: IDataObject): IDataObject {
	switch (parameters.raw('payloadMode')) {
		case 'json':
			return parameters.object('payloadJson', { label: 'JSON' });
		case 'input':
			return input;
		case 'fields':
		case undefined:
			return readFields(parameters);
		default:
			// By an expression: without its payload, the agent would text people as if nothing were known of them.
			return parameters.fail(
				'"Payload" has an unknown value',
				`Choose one from its list. ${NOT_SENT}`,
			);
	}
}

function readFields(parameters: Parameters): IDataObject {
	const collection = parameters.raw('payloadFields');
	const assignments = isObject(collection) ? collection.assignments : undefined;
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

// The panel stores lists and objects, and what expressions give, as text.
function toType(
	parameters: Parameters,
	field: string,
	value: IDataObject[string],
	type: unknown,
): IDataObject[string] {
	const fieldType = CONVERTED_TYPES.find((each) => each === type);
	if (!fieldType || value === undefined || value === null) return value;
	const converted = validateFieldType(field, value, fieldType);
	if (converted.valid) return converted.newValue;
	return parameters.fail(
		`The field "${field}" of the payload is not of the type "${fieldType}"`,
		'Change the type of the field, or its value.',
	);
}
