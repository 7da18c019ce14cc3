import { LoadOptionsContext } from 'n8n-core';
import type { INodeListSearchResult, INodeParameters, ResourceMapperFields } from 'n8n-workflow';

import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import type { Service } from '../../sandbox/service/service.ts';
import { additionalData, buildWorkflow, type EngineRun } from './engine.ts';
import { credentialOf } from './service.ts';

/** A list of the node from which one chooses in the panel. */
export type Picker = 'searchInboxes' | 'searchTemplates';

const { methods } = new MessagingService();

/** What n8n's editor gets when someone opens a list, or types into it. */
export async function pick(
	service: Pick<Service, 'url'>,
	picker: Picker,
	filter?: string,
	credential: EngineRun['credential'] = {},
): Promise<INodeListSearchResult> {
	const context = contextOf(service, {}, credential);
	return await methods.listSearch[picker].call(context, filter);
}

/** The fields that n8n's editor gets for the placeholders of a template. */
export async function placeholderFields(
	service: Pick<Service, 'url'>,
	parameters: INodeParameters,
	credential: EngineRun['credential'] = {},
): Promise<ResourceMapperFields> {
	const context = contextOf(service, parameters, credential);
	return await methods.resourceMapping.getPlaceholders.call(context);
}

function contextOf(
	service: Pick<Service, 'url'>,
	parameters: INodeParameters,
	credential: EngineRun['credential'] = {},
): LoadOptionsContext {
	const run: EngineRun = {
		credential: credentialOf(service, credential),
		parameters: { resource: 'messageTemplate', operation: 'fillIn', ...parameters },
	};
	const workflow = buildWorkflow(run);
	const node = workflow.getNode('Node');
	if (!node) throw new Error('The workflow has no node');
	const data = { ...additionalData(run), currentNodeParameters: node.parameters };
	return new LoadOptionsContext(workflow, node, data, '');
}
