import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { asObject } from '../../api/json';
import { parseUrl } from '../../api/url';
import { type Field, switchField } from '../../panel/field';
import { INCOMPLETE, isCutOff, UUID, UUID_PLACEHOLDER } from '../../panel/ids';
import type { PanelValues } from '../../panel/values';
import type { Item, Run } from '../operation';
import { readContactNumber } from './contactNumber';
import { readPayload } from './payload';

/** A webhook call, read and checked. */
export interface WebhookCall {
	id: string;
	body: IDataObject;
}

/**
 * The webhook to call: its address as the agent builder shows it, or its ID, in either mode. The modes have no regular
 * expression for n8n to check, since n8n does that when an execution begins, too, and fails the execution if this takes
 * a quarter of a second on a busy machine.
 */
export const webhookField: Field = {
	displayName: 'Agent Webhook',
	name: 'webhook',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'url', value: '' },
	description: 'The webhook that starts the agent',
	advice: 'Copy the whole address from the trigger step in the agent builder.',
	modes: [
		{
			displayName: 'By URL',
			name: 'url',
			type: 'string',
			placeholder: 'e.g. https://messaging.example.com/public/pipelines/webhook/123e4567-…',
			hint: 'Paste the whole address from the trigger step in the agent builder',
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: UUID_PLACEHOLDER,
			hint: 'The last part of the address in the agent builder',
		},
	],
};

export const outboundDialField = switchField(
	'Outbound Dial',
	'outboundDial',
	'Whether to send "outboundDial": true to the agent, if your service asks for it',
);

/** The ID, or an address that ends with it: with or without a scheme, a slash at its end, a query. */
const WEBHOOK = new RegExp(`^(?:[^?#]*/webhook/)?(${UUID})/?(?:[?#].*)?$`);

/** How many items of a run are for each phone number. */
class Counts extends Map<string, number> {}

/**
 * Reads which webhook an item is sent to, and with which body (interface, endpoint 9): the payload, with the two fields
 * that the service itself understands. Notes whom the item is for.
 *
 * @throws {Problem} when one of its parameters cannot be used, or when there is no phone number, unless the agent may
 *   start without a contact.
 */
export function readWebhookCall(item: Item, run: Run): WebhookCall {
	const { parameters } = item;
	const { options } = parameters;
	const counts = run.shared(Counts);
	try {
		const address = parameters.requiredText(webhookField);
		const id = readWebhookId(parameters, address);
		noteOtherHost(address, run);
		const { phone: inPayload, ...payload } = readPayload(item, run);
		const phone = readContactNumber(item, run, inPayload);
		item.phone = phone;
		if (phone !== undefined) counts.set(phone, (counts.get(phone) ?? 0) + 1);
		const body = {
			...(phone !== undefined && { phone }),
			...payload,
			// The interface does not show its effect, so it is sent only if somebody has added the option.
			...(options.has(outboundDialField) && { outboundDial: options.isOn(outboundDialField) }),
		};
		return { id, body };
	} finally {
		const itemCount = run.context.getInputData().length;
		if (parameters.itemIndex === itemCount - 1) noteSamePhone(counts, itemCount, run);
	}
}

/**
 * Tells the user with the last item how many have the same phone number: an expression about the first item instead of
 * each one texts the same person again and again.
 */
function noteSamePhone(counts: Counts, itemCount: number, { notices }: Run): void {
	const repeated = [...counts].filter(([, count]) => count > 1);
	if (repeated.length === 0) return;
	const count = repeated.reduce((sum, [, each]) => sum + each, 0);
	const isSame = count === itemCount && repeated.length === 1;
	const shared = isSame ? 'the same phone number:' : 'the phone number of another one, such as';
	notices.add(
		`${count} of ${itemCount} items have ${shared} ${repeated[0][0]}. If they should differ, use a field of each item in "Phone", such as {{ $json.phone }}.`,
		isSame ? 'warning' : 'info',
	);
}

/** Tells the user if the address in the panel names another host than the credential, where the call goes. */
function noteOtherHost(address: string, { client, notices }: Run): void {
	const host = address.includes('/') && parseUrl(address)?.host;
	const { host: own } = new URL(client.account.baseUrl.href);
	if (!host || host === own) return;
	const { displayName } = webhookField;
	notices.add(
		`"${displayName}" is an address at ${host}, but calls go to the base URL of the credential, ${own}. If that is right, enter only the ID.`,
	);
}

/**
 * Reads the webhook's ID from an ID or an address, either of which may be entered in either mode. Calls go to the base URL
 * in the credential, whatever host the address names.
 */
function readWebhookId(parameters: PanelValues, value: string): string {
	const id = idIn(value);
	if (id !== undefined) return id;
	const problem = isCutOff(value.split('/').at(-1) ?? '')
		? INCOMPLETE
		: 'is not a webhook address, which ends with /webhook/ and an ID';
	return parameters.refuse(webhookField, value, problem);
}

/** The ID in a text, in lower case: UUIDs that differ only in their case are the same. Undefined where there is none. */
const idIn = (text: string): string | undefined => WEBHOOK.exec(text)?.[1].toLowerCase();

/**
 * The webhook in a parameter as it is written, in whatever form. An expression counts as it is: nobody can tell which of
 * its values were of another team.
 */
export function writtenWebhook({ webhook }: INodeParameters): unknown {
	const { value } = asObject(webhook);
	return idIn(String(value).trim()) ?? value;
}
