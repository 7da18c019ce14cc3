import {
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { CREDENTIALS_TYPE } from './connection';
import { testCredential } from './panel/credentialTest';
import { searchInboxes } from './panel/pickers';
import { answerAddressCheck } from './trigger/addressCheck';
import { methods } from './trigger/addressCheck/settings';
import { response } from './trigger/options/response';
import { receive } from './trigger/receive';
import { isSubscribed, subscribe, unsubscribe } from './trigger/registration';
import { properties } from './trigger/settings';

export class MessagingServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service Trigger',
		name: 'messagingServiceTrigger',
		icon: {
			light: 'file:../../icons/messagingServiceTrigger.svg',
			dark: 'file:../../icons/messagingServiceTrigger.dark.svg',
		},
		group: ['trigger'],
		// n8n evaluates an expression for each call of a webhook whose version is 1.
		version: [1, 1.1],
		defaultVersion: 1.1,
		subtitle: '={{$parameter["events"].join(", ") || "all events"}}',
		// n8n's list of nodes shows the trigger and the action as one entry, with these words.
		description:
			'Text leads, read messages and wait for replies, or start a workflow when a message comes in',
		defaults: { name: 'Messaging Service Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			// Nearly always needed. n8n looks at the first entry of a type only, and one entry cannot say
			// "for this verification or that registration".
			{ name: CREDENTIALS_TYPE, required: true, testedBy: 'testCredential' },
		],
		webhooks: [
			// Before the other one, since a service may check the address while it is told of it. For the same path
			// with other methods, so the panel shows one address.
			{
				name: 'setup',
				...methods,
				path: 'webhook',
				responseMode: 'onReceived',
				ndvHideUrl: true,
			},
			{
				name: 'default',
				httpMethod: 'POST',
				path: 'webhook',
				responseMode: 'onReceived',
				...response,
			},
		],
		triggerPanel: {
			header: 'Wait for an event of your messaging service',
			executionsHelp: {
				inactive:
					'<b>While you build the workflow</b>, select "Execute step" and let your service send an event to the Test URL. It shows up here. If it is refused or left out, you see why.<br /><br /><b>When it is ready</b>, publish (activate) the workflow. From then on, each event that comes to the Production URL starts it.',
				active:
					'<b>While you change the workflow</b>, select "Execute step" and let your service send an event to the Test URL. It shows up here. If it is refused or left out, you see why.<br /><br /><b>The workflow is published</b>: each event that comes to the Production URL starts it. You find these runs under "Executions", not here.',
			},
			activationHint: {
				inactive:
					'Publish (activate) the workflow, and each event that comes to the Production URL starts it.',
				active:
					'The workflow is published: each event that comes to the Production URL starts it. You find these runs under "Executions".',
			},
		},
		properties,
	};

	methods = {
		credentialTest: { testCredential },
		listSearch: { searchInboxes },
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await isSubscribed(this);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await subscribe(this);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await unsubscribe(this);
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return (await answerAddressCheck(this)) ?? (await receive(this));
	}
}
