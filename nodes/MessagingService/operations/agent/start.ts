import type { IDataObject } from 'n8n-workflow';
import type { ApiRequest, ApiResponse } from '../../api/request';
import { path } from '../../api/url';
import { switchField } from '../../panel/field';
import { optionsField, requestsPerMinuteField } from '../../panel/options';
import { defaultCountryCodeField } from '../../panel/phoneField';
import type { Item, ItemOutcome, WriteOperation } from '../operation';
import { phoneField, startWithoutContactField } from './contactNumber';
import { payloadFields, writtenPhone } from './payload';
import {
	noteRepeatable,
	noteUnsent,
	readKey,
	readSendAgain,
	sendAgainField,
	sendOnceFields,
} from './sendOnce';
import {
	outboundDialField,
	readWebhookCall,
	type WebhookCall,
	webhookField,
	writtenWebhook,
} from './webhookCall';
import { noteNotSent, readTestNumber, recipientOf, whenTestingFields } from './whenTesting';

/** The status of a call that the service has accepted. */
const ACCEPTED = 202;

/** Whether the node itself repeats a call although it may have been accepted. */
const retryUnknownField = switchField(
	'Retry Unknown',
	'retryUnknown',
	'Whether to retry a call that the service may have processed: after a server error, a timeout or a lost connection. The agent may run once more with each retry.',
);

/** Starts an agent by its webhook (interface, endpoint 9). */
export const start: WriteOperation = {
	option: {
		name: 'Start',
		value: 'start',
		action: 'Start agent to text contact',
		description: 'Start an agent by its webhook, for example to text a contact',
	},
	toolDescription:
		'Starts an agent, which may text or call a real person. This cannot be undone. Use it only when the user asks for it, once per person, with a phone number that the user gave or confirmed, such as +15555550142. With the outcome accepted, the agent runs on its own. With skipped, preview or unknown, tell the user and do not call again.',
	writes: true,
	webhookOf: writtenWebhook,
	whomOf: writtenPhone,
	fields: [
		webhookField,
		phoneField,
		defaultCountryCodeField,
		...payloadFields,
		...sendOnceFields,
		...whenTestingFields,
		optionsField(
			outboundDialField,
			startWithoutContactField,
			sendAgainField,
			retryUnknownField,
			requestsPerMinuteField,
		),
	],
	// Each item is a single call, and the client bounds how many calls are under way.
	concurrency: Infinity,

	async execute(item, run) {
		const recipient = recipientOf(item, run);
		// Both are read for a preview and a test, too, so that what cannot be used is found before production.
		const call = readWebhookCall(item, run);
		const ownKey = readKey(item, call, run);
		if (recipient === 'nobody') {
			noteNotSent(item, run);
			return columns('preview', call, { key: ownKey, body: call.body });
		}
		const isTest = recipient === 'testNumber';
		if (isTest) call.body.phone = item.phone = readTestNumber(item, run);
		// A text to the test number is not one to the contact, so "Send Once" does not apply.
		const key = isTest ? undefined : ownKey;
		return await run.once(
			{
				// The write is about the contact, or about the input item where there is none.
				subject: [call.id, call.body.phone ?? item.json],
				key: key && `${call.id}:${key}`,
				sendAgain: readSendAgain(item, run, key !== undefined),
				outputUnsent: (outcome) => {
					if (key !== undefined) noteUnsent(outcome, run);
					return columns(outcome, call, { key });
				},
			},
			async () => {
				const sentAt = await item.client.send(requestOf(item, call), readAcceptance);
				if (key === undefined && !isTest) noteRepeatable(run);
				return columns('accepted', call, { key, sentAt, body: call.body });
			},
		);
	},
};

function requestOf({ parameters }: Item, { id, body }: WebhookCall): ApiRequest {
	return {
		method: 'POST',
		path: path`/public/pipelines/webhook/${id}`,
		body,
		repeat: parameters.options.isOn(retryUnknownField) ? 'evenIfUnknown' : 'ifRefused',
		paced: true,
		// The call is accepted even if a proxy breaks the empty body.
		bodilessStatus: ACCEPTED,
		notFound: {
			message: 'The messaging service cannot find this webhook',
			description:
				"Copy its address from the agent builder again, and check that the credential has the API key of the webhook's team.",
		},
	};
}

/**
 * When the accepted call began. The service accepts with 202, or with another success without a body; undefined for any
 * other success, such as a login page, which is not from the service.
 */
function readAcceptance({ status, text, sentAt }: ApiResponse): Date | undefined {
	return status === ACCEPTED || text.trim() === '' ? sentAt : undefined;
}

/**
 * The output of an item that did not fail: the same columns whatever became of it, so that a table has no gaps.
 *
 * @param known.key the key of "Send Once"
 * @param known.sentAt when the call began, if this run made one
 * @param known.body what was sent, or would be
 */
function columns(
	outcome: ItemOutcome,
	{ id, body: { phone } }: WebhookCall,
	known: { key?: string; sentAt?: Date; body?: IDataObject },
): IDataObject {
	return {
		outcome,
		phone: phone ?? null,
		key: known.key ?? null,
		sentAt: known.sentAt?.toISOString() ?? null,
		webhookBody: known.body ?? null,
		webhookId: id,
	};
}
