import type {
	IConnections,
	INode,
	INodeParameters,
	IPinData,
	IWorkflowSettings,
} from 'n8n-workflow';

import { CREDENTIAL_TYPE, type CredentialReference } from './credentials.ts';
import { RestError, type RestClient } from './rest.ts';
import { until } from './until.ts';

/** n8n 2.41 tries for a quarter of a minute before it gives up. */
const PUBLICATION_TIMEOUT_MS = 90_000;

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
	executeOnce?: boolean;
	/** Without it n8n puts the workflow's identifier in front of a webhook's path. */
	webhookId?: string;
}

/** A trigger by which a user starts a workflow. */
export const START: NodeSketch = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** A node that each call to its address starts. */
export function webhookNode(path: string): NodeSketch {
	return {
		name: 'Hook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: path,
		parameters: { httpMethod: 'POST', path },
	};
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

/** The workflow with all nodes of this package bound to a credential. */
export function bindCredential(
	workflow: WorkflowDefinition,
	credential: CredentialReference,
): WorkflowDefinition {
	const credentials = { [CREDENTIAL_TYPE]: { ...credential } };
	const bind = (node: INode) =>
		node.credentials?.[CREDENTIAL_TYPE] ? { ...node, credentials } : node;
	return { ...workflow, nodes: workflow.nodes.map(bind) };
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

type Published = Pick<StoredWorkflow, 'id' | 'versionId'>;

/** Publishes the stored version, so that its triggers and webhooks listen; throws what stops them. */
export async function activateWorkflow(
	rest: RestClient,
	{ id, versionId }: Published,
): Promise<void> {
	const path = `/rest/workflows/${id}`;
	await rest.post(`${path}/activate`, { versionId }).catch(unlessOld(rest, path, true));
	const failures = await publicationSettled(rest, id);
	if (failures.length > 0) throw new Error(failures.join('; '));
}

/** Takes the triggers and webhooks of a workflow down again. */
export async function deactivateWorkflow(rest: RestClient, id: string): Promise<void> {
	const path = `/rest/workflows/${id}`;
	await rest.post(`${path}/deactivate`).catch(unlessOld(rest, path, false));
	await publicationSettled(rest, id);
}

/** What the oldest n8n has in place of a path of its own. */
const unlessOld = (rest: RestClient, path: string, active: boolean) => async (error: unknown) => {
	if (!(error instanceof RestError) || error.status !== 404) throw error;
	const { versionId } = await rest.get<StoredWorkflow>(path);
	await rest.patch(path, { active, versionId });
};

interface PublicationStatus {
	status: string;
	triggers: Array<{ errorMessage: string | null }>;
}

/**
 * Waits until n8n has switched the triggers of a workflow on or off, which it does after its answer, in several
 * tries. Gives what stopped it.
 */
async function publicationSettled(rest: RestClient, id: string): Promise<string[]> {
	const path = `/rest/workflows/${id}/publication-status`;
	const { triggers } = await until(
		'the triggers are switched',
		async () => {
			const state = await rest.get<PublicationStatus>(path).catch((error: unknown) => {
				// n8n 1.x has done it when it answers, and has no such path.
				if (error instanceof RestError && error.status === 404) return undefined;
				throw error;
			});
			return state?.status !== 'in_progress' && (state ?? { triggers: [] });
		},
		{ timeoutMs: PUBLICATION_TIMEOUT_MS },
	);
	return triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
}
