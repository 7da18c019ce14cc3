import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { ApiRequest } from '../../api/request';
import { defaultCountryCodeField } from '../../panel/phoneField';
import {
	isOptionOn,
	optionsField,
	readConcurrency,
	retryOnServerErrorField,
	webhookOptionFields,
} from '../../panel/options';
import { path } from '../../api/url';
import type { Item, Operation } from '../operation';
import { forgetKeysField, keyReaderOf, onceFields, sendOnceBy } from './sendOnce';
import { outboundDialField, payloadFields, phoneField } from './webhookBody';
import { readWebhookCall, type WebhookCall, webhookIdField } from './webhookCall';
import { testSenderOf, whenTestingFields } from './whenTesting';

const ONCE_IN_TEST = '"Send Once" does not apply to previews or to the test number';

const repeatNotice: INodeProperties = {
	displayName:
		'If the model repeats a call, the person is texted twice. To prevent that, set <b>Send Once</b>, for example to "Once per Phone Number".',
	name: 'repeatNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { '@tool': [true], sendOnce: ['off'] } },
};

/** Starts an agent by its webhook (interface, endpoint 9). */
export const invokeWebhook: Operation = {
	option: {
		name: 'Start',
		value: 'invokeWebhook',
		action: 'Start agent to text contact',
		description:
			'Start an agent (pipeline) by its webhook, for example to text a lead. It runs after the call is accepted.',
	},
	toolDescription:
		'Starts an agent (pipeline), which may text or call a real person. This cannot be undone. Use it only when the user asks for it, once per person, with a phone number that the user gave or confirmed, with country code, such as +15555550142. With accepted: true the agent was started and runs on its own. With skipped, dryRun or uncertain, tell the user and do not call again.',
	writes: true,
	fields: [
		webhookIdField,
		phoneField,
		...onceFields,
		repeatNotice,
		...whenTestingFields,
		...payloadFields,
		optionsField(
			forgetKeysField,
			defaultCountryCodeField,
			outboundDialField,
			...webhookOptionFields,
		),
	],

	start(run) {
		const concurrency = readConcurrency(run.panel);
		const readKey = keyReaderOf(run);
		const sendInTest = testSenderOf(run, invoke);
		if (readKey && !sendInTest) return { concurrency, ...sendOnceBy(readKey, run, invoke) };
		if (readKey) run.notices.add(ONCE_IN_TEST, 'info');
		return {
			concurrency,
			isTest: sendInTest !== undefined,
			async execute(item) {
				const call = readWebhookCall(run, item);
				// Reads the key in tests too, so that an unusable key is found before production.
				readKey?.(item, call);
				return await (sendInTest ?? invoke)(item, call);
			},
		};
	},
};

async function invoke(
	{ client, parameters }: Item,
	{ id, body }: WebhookCall,
): Promise<IDataObject> {
	const request: ApiRequest = {
		method: 'POST',
		path: path`/public/pipelines/webhook/${id}`,
		body,
		repeat: isOptionOn(parameters, retryOnServerErrorField) ? 'evenIfUnknown' : 'ifRefused',
		paced: true,
		notFound: {
			message: 'The messaging service cannot find this webhook',
			description:
				"Copy its address from the agent builder again. A webhook of another team is not found either, so check that the credential has that team's API key.",
		},
	};
	const response = await client.send(request);
	// The service accepts with 202 and no body. Another status with a body, say a login page, is not from the service.
	if (response.status !== 202 && response.text.trim() !== '') {
		throw client.unexpected(request, response);
	}
	return { accepted: true, statusCode: response.status, webhookId: id, webhookBody: body };
}
