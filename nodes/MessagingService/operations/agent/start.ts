import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { ApiRequest, ApiResponse } from '../../api/request';
import { path } from '../../api/url';
import { toNodeError } from '../../n8n/errors';
import {
	isOptionOn,
	optionsField,
	resendUncertainField,
	retryUnknownField,
	webhookOptionFields,
} from '../../panel/options';
import { continuesOnFail } from '../../panel/tool';
import { defaultCountryCodeField } from '../../panel/phoneField';
import type { Item, Operation, Run, Write } from '../operation';
import { haveKeys, noteUnsent, onceFields, readKey, resetHistoryField } from './sendOnce';
import {
	outboundDialField,
	payloadFields,
	phoneField,
	startWithoutContactField,
} from './webhookBody';
import { readWebhookCall, type WebhookCall, webhookField } from './webhookCall';
import { readTestNumber, recipientOf, whenTestingFields } from './whenTesting';

const PREVIEW = { outcome: 'preview' };
const WOULD_FAIL = 'Some items would fail: look at the column "error".';

/** Starts an agent by its webhook (interface, endpoint 9). */
export const start: Operation = {
	option: {
		name: 'Start',
		value: 'start',
		action: 'Start agent to text contact',
		description:
			'Start an agent (pipeline) by its webhook, for example to text a contact. It runs after the call is accepted.',
	},
	toolDescription:
		'Starts an agent (pipeline), which may text or call a real person. This cannot be undone. Use it only when the user asks for it, once per person, with a phone number that the user gave or confirmed, with country code, such as +15555550142. With the outcome accepted the agent was started and runs on its own. With skipped, preview or uncertain, tell the user and do not call again.',
	writes: true,
	fields: [
		webhookField,
		phoneField,
		...onceFields,
		...whenTestingFields,
		...payloadFields,
		optionsField(
			resetHistoryField,
			defaultCountryCodeField,
			outboundDialField,
			startWithoutContactField,
			...webhookOptionFields,
		),
	],
	// Each is a single call, and the client bounds how many of those are under way.
	concurrency: Infinity,

	async execute(item, run) {
		const recipient = recipientOf(item, run);
		if (recipient === 'nobody') {
			// What fails takes the same way as in production, if that goes on.
			return continuesOnFail(run.context) ? preview(item, run) : previewWithError(item, run);
		}
		const isTest = recipient === 'testNumber';
		const call = readWebhookCall(item, run);
		if (isTest) call.body.phone = readTestNumber(item.parameters);
		// A text to the test number is not one to the contact, so "Send Once" does not apply.
		const key = isTest ? undefined : readKey(item, call, run);
		const webhook = call.id.toLowerCase();
		const write: Write = {
			// Whom it is about: the contact, or the input item where there is none.
			subject: [webhook, call.body.phone ?? item.json],
			key: key && `once:${run.accountKey}:${webhook}:${key}`,
			resetHistory: key !== undefined && isOverriding(resetHistoryField, RESET_IS_ON, item, run),
			resend: isOverriding(resendUncertainField, RESEND_IS_ON, item, run),
		};
		const request = requestOf(item, call);
		const sent = await run.once(write, async () => await send(item, request));
		if (key) noteUnsent(sent, run);
		return outputOf(item, sent, call, key);
	},
};

const RESET_IS_ON =
	'"Reset Sent History" is on. Turn it off now, or each run sends its items again.';
const RESEND_IS_ON =
	'"Resend Uncertain" is on. Turn it off after this run: it also sends again to contacts who may have been texted.';

/** Whether an option is on that sends what was sent before. Then, it reminds the user of it. */
function isOverriding(
	option: INodeProperties,
	words: string,
	{ parameters }: Item,
	{ notices }: Run,
): boolean {
	const isOn = isOptionOn(parameters, option);
	if (isOn) notices.add(words);
	return isOn;
}

function requestOf({ parameters }: Item, { id, body }: WebhookCall): ApiRequest {
	return {
		method: 'POST',
		path: path`/public/pipelines/webhook/${id}`,
		body,
		repeat: isOptionOn(parameters, retryUnknownField) ? 'evenIfUnknown' : 'ifRefused',
		paced: true,
		notFound: {
			message: 'The messaging service cannot find this webhook',
			description:
				"Copy its address from the agent builder again. A webhook of another team is not found either, so check that the credential has that team's API key.",
		},
	};
}

/** Makes the call. Gives its part of the output: that it was accepted, and when it began. */
async function send({ client }: Item, request: ApiRequest): Promise<IDataObject> {
	const sentAt = await client.send(request, readAcceptance);
	return { outcome: 'accepted', sentAt: sentAt.toISOString() };
}

/**
 * When the call began that the service has accepted: with 202, or with another success and no body. Another status with a
 * body, such as a login page, is not from the service.
 */
function readAcceptance({ status, text, sentAt }: ApiResponse): Date | undefined {
	return status === 202 || text.trim() === '' ? sentAt : undefined;
}

/** What would be sent for an item. */
function preview(item: Item, run: Run): IDataObject {
	const call = readWebhookCall(item, run);
	// Reads the key, too, so that an unusable one is found before production.
	return outputOf(item, PREVIEW, call, readKey(item, call, run));
}

/** What would be sent for an item, or the error that would end the run. */
function previewWithError(item: Item, run: Run): IDataObject {
	try {
		return preview(item, run);
	} catch (failure) {
		const { redactor } = run.client.account;
		const { message, description } = toNodeError(run.context.getNode(), failure, { redactor });
		run.notices.add(WOULD_FAIL);
		const columns = { ...outputOf(item, PREVIEW), ...item.json, ...PREVIEW, accepted: false };
		return { ...columns, error: message, errorDescription: description };
	}
}

/**
 * The output of an item that did not fail: the same fields whatever became of it, so that a table of many has no gaps.
 *
 * @param sent what `run.once` gave
 */
function outputOf(
	{ parameters }: Item,
	{ outcome, sentAt = null }: IDataObject,
	call?: WebhookCall,
	key?: string,
): IDataObject {
	return {
		outcome,
		accepted: outcome === 'accepted',
		phone: call?.body.phone ?? null,
		...(haveKeys(parameters) ? { key: key ?? null } : {}),
		sentAt,
		webhookId: call?.id ?? null,
		webhookBody: call?.body ?? null,
	};
}
