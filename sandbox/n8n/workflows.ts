import type {
	IConnections,
	INode,
	INodeParameters,
	IPinData,
	IWorkflowSettings,
} from 'n8n-workflow';

import type { CredentialReference } from './credentials.ts';
import type { RestClient } from './rest.ts';

/** A workflow as n8n exports it, as far as the sandbox reads it. */
export interface WorkflowDefinition {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
	pinData?: IPinData;
}

export interface StoredWorkflow extends WorkflowDefinition {
	id: string;
	versionId: string;
	active: boolean;
}

/** The parts of a node that a test cares about. */
export interface NodeSketch {
	name: string;
	type: string;
	parameters?: INodeParameters;
	typeVersion?: number;
	credentials?: INode['credentials'];
	onError?: INode['onError'];
	retryOnFail?: boolean;
	/** Without it n8n puts the workflow's identifier in front of a webhook's path. */
	webhookId?: string;
}

/** Nodes one after the other, wired in the given order. */
export function chain(name: string, nodes: NodeSketch[]): WorkflowDefinition {
	return {
		name,
		nodes: nodes.map((node, index) => ({
			id: `node-${index}`,
			typeVersion: 1,
			parameters: {},
			position: [index * 220, 0],
			...node,
		})),
		connections: Object.fromEntries(
			nodes.flatMap(({ name: from }, index) => {
				const next = nodes[index + 1];
				return next ? [[from, { main: [[{ node: next.name, type: 'main', index: 0 }]] }]] : [];
			}),
		),
	};
}

/** The workflow with all its nodes of one credential type bound to the given credential. */
export function bindCredential(
	workflow: WorkflowDefinition,
	type: string,
	credential: CredentialReference,
): WorkflowDefinition {
	return {
		...workflow,
		nodes: workflow.nodes.map((node) =>
			node.credentials?.[type]
				? { ...node, credentials: { ...node.credentials, [type]: { ...credential } } }
				: node,
		),
	};
}

/** Stores a workflow, inactive. */
export async function createWorkflow(
	rest: RestClient,
	{ name, nodes, connections, settings = {}, pinData = {} }: WorkflowDefinition,
): Promise<StoredWorkflow> {
	const workflow = { name, nodes, connections, settings, pinData, active: false };
	return await rest.post('/rest/workflows', workflow);
}

/** The names of all stored workflows with their identifiers. */
export async function listWorkflows(
	rest: RestClient,
): Promise<Array<Pick<StoredWorkflow, 'id' | 'name'>>> {
	return await rest.get('/rest/workflows');
}

/** Publishes the stored version, so that its triggers and webhooks listen. */
export async function activateWorkflow(
	rest: RestClient,
	{ id, versionId }: Pick<StoredWorkflow, 'id' | 'versionId'>,
): Promise<void> {
	await rest.post(`/rest/workflows/${id}/activate`, { versionId });
}

/** Takes the triggers and webhooks of a workflow down again. */
export async function deactivateWorkflow(rest: RestClient, id: string): Promise<void> {
	await rest.post(`/rest/workflows/${id}/deactivate`);
}
