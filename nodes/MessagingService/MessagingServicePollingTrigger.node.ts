import {
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { CREDENTIALS_TYPE } from './n8n/connection';
import { searchInboxes } from './operations/pickers';
import { pollingFields, subtitle } from './polling/fields';
import { poll, PollingState } from './polling/polling';

const thisProcess = new PollingState();

export class MessagingServicePollingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service Polling Trigger',
		name: 'messagingServicePollingTrigger',
		icon: {
			light: 'file:../../icons/messagingService.svg',
			dark: 'file:../../icons/messagingService.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle,
		description:
			'Starts the workflow on new messages that it looks for every few minutes. Needs no public URL.',
		defaults: { name: 'Messaging Service Polling Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		builderHint: {
			searchHint: 'Needs no public address. For events at once, use Messaging Service Trigger.',
		},
		credentials: [{ name: CREDENTIALS_TYPE, required: true }],
		// A copy, since n8n adds "Poll Times" to it.
		properties: [...pollingFields],
	};

	methods = { listSearch: { searchInboxes } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this, thisProcess);
	}
}
