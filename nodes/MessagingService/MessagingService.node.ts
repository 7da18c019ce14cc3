import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { CREDENTIALS_TYPE } from './n8n/connection';
import { getPlaceholders, searchInboxes, searchTemplates } from './operations/pickers';
import { properties, subtitle } from './operations';
import { newProcessState, runOperation } from './run/run';

const thisProcess = newProcessState();

export class MessagingService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Messaging Service',
		name: 'messagingService',
		icon: {
			light: 'file:../../icons/messagingService.svg',
			dark: 'file:../../icons/messagingService.dark.svg',
		},
		group: ['output'],
		version: 1,
		subtitle,
		description: 'Text contacts by starting agents, read messages, wait for replies and more',
		defaults: { name: 'Messaging Service' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'To text contacts, use Agent: Start with a webhook of the service; it keeps to the rate limit, so use no loop and no Wait node. For a list, set Send Once to Once per Phone Number and On Error to Continue (using error output).',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIALS_TYPE, required: true }],
		properties,
	};

	methods = {
		listSearch: { searchInboxes, searchTemplates },
		resourceMapping: { getPlaceholders },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runOperation(this, thisProcess)];
	}
}
