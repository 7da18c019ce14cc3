import type { IDataObject } from 'n8n-workflow';
import type { Item, Run } from '../operation';
import { readWebhookBody } from './webhookBody';
import { readWebhookId } from './webhookId';

/** A webhook call, read and checked. */
export interface WebhookCall {
	id: string;
	body: IDataObject;
	/** What to add to the error when the webhook is not found. */
	hint: string;
}

/** Makes a webhook call for an item. */
export type SendCall = (item: Item, call: WebhookCall) => Promise<IDataObject>;

/**
 * Reads which webhook an item is sent to, and with which body.
 *
 * @throws {Problem} when one of its parameters cannot be used.
 */
export function readWebhookCall(run: Run, { json, parameters }: Item): WebhookCall {
	const { id, host } = readWebhookId(parameters);
	const body = readWebhookBody(parameters, json, run);
	if (host === undefined || host === new URL(run.client.account.baseUrl.origin).host) {
		return { id, body, hint: '' };
	}
	run.notices.add(
		`The webhook's address names ${host}, but calls go to the address in the credential.`,
	);
	return {
		id,
		body,
		hint: ` The address is one of ${host}, not of the service in the credential.`,
	};
}
