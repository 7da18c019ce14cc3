import type { IDataObject } from 'n8n-workflow';
import type { Field } from '../../panel/field';
import type { Item, Run } from '../operation';
import { readContactNumber } from './contactNumber';
import { readPayload } from './payload';

export const outboundDialField: Field = {
	displayName: 'Outbound Dial',
	name: 'outboundDial',
	type: 'boolean',
	default: false,
	description:
		'Whether to send "outboundDial": true to the agent. Leave it out unless your service asks for it.',
};

/**
 * Builds the body of a webhook call (interface, endpoint 9): the payload, with the two fields that the service itself
 * understands.
 *
 * @throws {Problem} when there is no phone number, unless the agent may start without a contact.
 */
export function readWebhookBody(item: Item, run: Run): IDataObject {
	const { options } = item.parameters;
	const { phone: inPayload, ...payload } = readPayload(item, run);
	const phone = readContactNumber(item, run, inPayload);
	return {
		...(phone === undefined ? {} : { phone }),
		...payload,
		// The interface does not show its effect, so it is sent only if somebody has added the option.
		...(options.has(outboundDialField) && { outboundDial: options.isOn(outboundDialField) }),
	};
}
