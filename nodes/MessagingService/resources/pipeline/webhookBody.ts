import type { IDataObject } from 'n8n-workflow';
import type { Parameters } from '../../fields/parameters';
import { normalizePhone } from '../../fields/phone';
import { isObject } from '../../transport/json';
import type { Call } from '../operation';

const PHONE = { label: 'Phone' };
const OUTBOUND_DIAL = { label: 'Outbound Dial' };

/**
 * Builds the body of a webhook call (interface, endpoint 9): the payload, with the two fields that the
 * service itself understands.
 */
export function readWebhookBody({ parameters, input, notices }: Call): IDataObject {
	const { phone, outboundDial, ...payload } = readPayload(parameters, input);
	const number = agreed(
		parameters,
		PHONE.label,
		toPhone(parameters, parameters.raw('phone')),
		toPhone(parameters, phone),
	);
	const dial = agreed(
		parameters,
		OUTBOUND_DIAL.label,
		parameters.boolean('options.outboundDial', OUTBOUND_DIAL),
		parameters.toBoolean(outboundDial, OUTBOUND_DIAL),
	);
	if (number === undefined && parameters.isExpression('phone')) {
		notices.add('"Phone" was empty, so the agent was started without a contact.');
	}
	return {
		...(number === undefined ? {} : { phone: number }),
		...(dial === undefined ? {} : { outboundDial: dial }),
		...payload,
	};
}

function readPayload(parameters: Parameters, input: IDataObject): IDataObject {
	switch (parameters.raw('payloadMode')) {
		case 'json':
			return parameters.object('payloadJson', { label: 'JSON' });
		case 'input':
			return input;
		default:
			return readFields(parameters);
	}
}

function readFields(parameters: Parameters): IDataObject {
	const collection = parameters.raw('payloadFields');
	const assignments = isObject(collection) ? collection.assignments : undefined;
	if (!Array.isArray(assignments)) return {};
	return Object.fromEntries(
		assignments.filter(isObject).map(({ name, value }) => {
			const field = parameters.toText(name, { label: 'Fields' });
			return [field ?? parameters.fail('A field of the payload has no name'), value];
		}),
	) as IDataObject;
}

function toPhone(parameters: Parameters, value: unknown): string | undefined {
	const phone = parameters.toText(value, PHONE);
	return phone === undefined ? undefined : normalizePhone(phone);
}

function agreed<Value>(
	parameters: Parameters,
	label: string,
	own: Value | undefined,
	inPayload: Value | undefined,
): Value | undefined {
	if (own !== undefined && inPayload !== undefined && own !== inPayload) {
		parameters.fail(
			`"${label}" is ${own} in the node but ${inPayload} in the payload`,
			'Leave one of them out, so that it is clear which one is meant.',
		);
	}
	return own ?? inPayload;
}
