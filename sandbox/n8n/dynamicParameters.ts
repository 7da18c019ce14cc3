import type {
	INodeCredentials,
	INodeListSearchResult,
	INodeParameters,
	ResourceMapperFields,
} from 'n8n-workflow';

import type { RestClient } from './rest.ts';

/** What the editor sends when a field of a node is filled from the service. */
export interface FieldRequest {
	nodeType: string;
	typeVersion?: number;
	/** The parameter that the field belongs to, e.g. `templateId`. */
	parameter: string;
	/** The method of the node, e.g. `searchTemplates`. */
	method: string;
	/** The node's parameters as they are so far. */
	parameters: INodeParameters;
	credentials?: INodeCredentials;
}

export interface ListSearch extends FieldRequest {
	filter?: string;
	paginationToken?: string;
}

function toBody(request: FieldRequest): object {
	return {
		path: `parameters.${request.parameter}`,
		nodeTypeAndVersion: { name: request.nodeType, version: request.typeVersion ?? 1 },
		currentNodeParameters: request.parameters,
		methodName: request.method,
		credentials: request.credentials,
	};
}

/** What the editor asks when a user opens or searches the list of a resource locator. */
export async function searchList(
	rest: RestClient,
	{ filter, paginationToken, ...request }: ListSearch,
): Promise<INodeListSearchResult> {
	return await rest.post('/rest/dynamic-node-parameters/resource-locator-results', {
		...toBody(request),
		filter,
		paginationToken,
	});
}

/** What the editor asks to know the fields of a resource mapper. */
export async function mapFields(
	rest: RestClient,
	request: FieldRequest,
): Promise<ResourceMapperFields> {
	return await rest.post('/rest/dynamic-node-parameters/resource-mapper-fields', toBody(request));
}
