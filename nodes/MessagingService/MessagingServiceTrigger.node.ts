import {
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { CREDENTIALS_TYPE } from './n8n/connection';
import { receive, TriggerState } from './trigger/receive';
import { registrationFields, subscribe, unsubscribe } from './trigger/registration';
import { eventsField, optionsField, skippingFields } from './trigger/settings';
import { verificationFields } from './trigger/verification';

const thisProcess = new TriggerState();

const TO_TEST = 'Have your service send an event to the Test URL';
const HOW_TO_BEGIN =
	'<b>1. Try it out.</b> Open "Webhook URLs" and enter the Test URL at your service, with the "Webhook Secret" of the credential. Select "Execute step", and have the service send an event.<br><br><b>2. Go live.</b> Enter the Production URL at the service instead, and publish the workflow. Automatic registration enters both URLs.';

export class MessagingServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service Trigger',
		name: 'messagingServiceTrigger',
		icon: {
			light: 'file:../../icons/messagingService.svg',
			dark: 'file:../../icons/messagingService.dark.svg',
		},
		group: ['trigger'],
		// With 1, n8n evaluates an expression for each call.
		version: 2,
		subtitle: '={{[$parameter["events"]].flat().join(", ") || "all events"}}',
		description:
			'Starts the workflow at once on events that the service sends, such as a new message. Needs a public URL.',
		defaults: { name: 'Messaging Service Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		builderHint: {
			searchHint:
				'Needs a webhook secret in the credential, and a public address. Without one, use Messaging Service Polling Trigger.',
		},
		credentials: [
			// Nearly always needed. n8n looks at the first entry of a type only, and one entry cannot say
			// "for this verification or that registration".
			{ name: CREDENTIALS_TYPE, required: true },
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				path: 'webhook',
				responseMode: 'onReceived',
				// Without it, n8n would answer with a text of its own.
				responseData: '',
			},
		],
		eventTriggerDescription: TO_TEST,
		triggerPanel: {
			header: TO_TEST,
			executionsHelp: { inactive: HOW_TO_BEGIN, active: HOW_TO_BEGIN },
		},
		properties: [
			eventsField,
			...verificationFields,
			...skippingFields,
			...registrationFields,
			optionsField,
		],
		// Fields of "Full Request" that n8n hides in executions, where it hides any: as in its own Webhook node.
		sensitiveOutputFields: ['headers.authorization', 'headers.cookie'],
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				// Each time, it gets a new one: no list is needed to tell whether the earlier one is there and as it should be.
				return false;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				await subscribe(this);
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				await unsubscribe(this);
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this, thisProcess);
	}
}
