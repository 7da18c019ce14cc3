import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { CREDENTIALS_TYPE } from './transport/credentials';
import { testCredential } from './transport/credentialTest';
import { searchInboxes, searchTemplates } from './listSearch';
import { getPlaceholders } from './resourceMapping';
import { properties, subtitle } from './resources';
import { runOperation } from './run';

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
		description: 'Start agents, read messages and manage your messaging account',
		defaults: { name: 'Messaging Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIALS_TYPE, required: true, testedBy: 'testCredential' }],
		properties,
	};

	methods = {
		credentialTest: { testCredential },
		listSearch: { searchInboxes, searchTemplates },
		resourceMapping: { getPlaceholders },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runOperation(this)];
	}
}
