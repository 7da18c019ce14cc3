import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { parseUrl } from '../../api/url';
import { UUID_PLACEHOLDER } from '../../panel/locators';
import type { FieldWords, ItemParameters } from '../../panel/parameters';
import type { Item, Run } from '../operation';
import { readWebhookBody } from './webhookBody';

/** A webhook call, read and checked. */
export interface WebhookCall {
	id: string;
	body: IDataObject;
}

/**
 * Which webhook to call: its address as the agent builder shows it, or its ID, in either mode. No locator
 * has a regular expression for n8n to validate it: n8n does that when an execution begins, too, and lets it fail if the
 * machine is so busy that this takes a quarter of a second.
 */
export const webhookIdField: INodeProperties = {
	displayName: 'Webhook',
	name: 'webhookId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'url', value: '' },
	description: 'The webhook that starts the agent. The agent builder shows its address.',
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

const WEBHOOK_WORDS: FieldWords = {
	label: 'Webhook',
	advice:
		'Copy the whole address, or the ID at its end, from the trigger step in the agent builder.',
};

/**
 * Reads which webhook an item is sent to, and with which body.
 *
 * @throws {Problem} when one of its parameters cannot be used.
 */
export function readWebhookCall(item: Item, run: Run): WebhookCall {
	const { id, host } = readWebhookId(item.parameters);
	const body = readWebhookBody(item, run);
	if (host && host !== new URL(run.client.account.baseUrl.origin).host) {
		run.notices.add(
			`The webhook's address names ${host}, but calls go to the address in the credential. Check that it is the right credential.`,
		);
	}
	return { id, body };
}

/**
 * Reads the webhook's ID from an ID or a URL, either of which may be entered in either mode.
 *
 * @returns The ID, and the host that the address names.
 */
export function readWebhookId(parameters: ItemParameters): { id: string; host?: string } {
	const value = parameters.requiredText('webhookId', WEBHOOK_WORDS);
	const address = /^[^/]+\.[^/]+\//.test(value) ? `https://${value}` : value;
	const url = parseUrl(address);
	if (!url) return { id: parameters.toUuid(value, WEBHOOK_WORDS) };
	const { host, pathname } = url;
	const [parent, last = ''] = pathname.split('/').filter(Boolean).slice(-2);
	if (parent !== 'webhook') {
		const problem = 'is not a webhook: its address ends with /webhook/ and an ID';
		return parameters.refuse(value, WEBHOOK_WORDS, problem, WEBHOOK_WORDS.advice);
	}
	return { id: parameters.toUuid(last, WEBHOOK_WORDS), host };
}
