import { randomUUID } from 'node:crypto';

import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';

import { seeded, startService, type Service, type ServiceOptions } from '../service/service.ts';
import { CREDENTIAL_TYPE, upsertCredential, type CredentialReference } from './credentials.ts';
import { Flow, type Run, type Running } from './flow.ts';
import { startN8n, type N8n, type N8nOptions } from './index.ts';
import { ACTION_TYPE, TRIGGER_TYPE } from './nodeTypes.ts';
import {
	chain,
	createWorkflow,
	START,
	type NodeSketch,
	type WorkflowDefinition,
} from './workflows.ts';

/** How the credential is called, and what it has besides the address of the service and the key of the demo team. */
interface CredentialOptions {
	name?: string;
	data?: ICredentialDataDecryptedObject;
}

/** Credentials as a node refers to them. */
type Credentials = Record<string, CredentialReference>;

/** A real n8n with the package, and the stand-in for the service that it is connected to. */
export interface Sandbox<Instance extends Running = N8n> {
	service: Service;
	n8n: Instance;
	credential: CredentialReference;
	credentials: Credentials;
	/** A node of this package, connected to the service. */
	action(name: string, parameters: INodeParameters, more?: Partial<NodeSketch>): NodeSketch;
	/** The trigger of this package, with the credential. */
	trigger(parameters: INodeParameters, more?: Partial<NodeSketch>): NodeSketch;
	/** Stores a credential beside the usual one, with other data such as another team's key. */
	addCredential(data: ICredentialDataDecryptedObject): Promise<Credentials>;
	/** Stores a workflow, or one of nodes in a row; the first node is a trigger. */
	store(workflow: NodeSketch[] | WorkflowDefinition): Promise<Flow>;
	/** Stores and activates it; throws what stops that. */
	activate(workflow: NodeSketch[] | WorkflowDefinition): Promise<Flow>;
	/** Runs nodes in a row, after a manual start. */
	run(nodes: NodeSketch[]): Promise<Run>;
	stop(): Promise<void>;
}

/** Starts a service and then n8n, in the given ways, and connects the two. */
export async function startConnected<Instance extends Running>(
	startBackend: () => Promise<Service>,
	startInstance: () => Promise<Instance>,
	options: CredentialOptions = {},
): Promise<Sandbox<Instance>> {
	const service = await startBackend();
	let n8n: Instance | undefined;
	const stop = async () => {
		await n8n?.close();
		await service.close();
	};
	try {
		n8n = await startInstance();
		return { ...(await connect(service, n8n, options)), stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

export interface SandboxOptions {
	service?: ServiceOptions;
	n8n?: N8nOptions;
	credential?: CredentialOptions;
	/** Whether n8n shows its editor, which takes a third of the start. */
	editor?: boolean;
}

/**
 * Saves a tenth of the processor time of each start and each execution: n8n collects garbage less often, prepares for
 * expressions only where there are some, and compiles what evaluates them once. And it does not give its database up on a
 * machine that is busy for some seconds.
 * What users look at runs n8n as it is shipped.
 */
export const FRUGAL = {
	NODE_OPTIONS: '--max-semi-space-size=64',
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	N8N_EXPRESSION_ENGINE_COMPILE_CACHE: 'true',
	DB_PING_TIMEOUT_MS: '60000',
};

/** Makes n8n wait for a runner of Code nodes that never comes: its own takes a fifth of the start. */
export const NO_CODE_NODES = { N8N_RUNNERS_MODE: 'external', N8N_RUNNERS_AUTH_TOKEN: 'unused' };

/** Starts the stand-in and n8n; to be stopped when the tests of a file are over. */
export async function startSandbox({
	service,
	n8n,
	credential,
	editor = false,
}: SandboxOptions = {}): Promise<Sandbox> {
	const env = { N8N_DISABLE_UI: String(!editor), ...FRUGAL, ...NO_CODE_NODES, ...n8n?.env };
	return await startConnected(
		() => startService(service),
		() => startN8n({ ...n8n, env }),
		credential,
	);
}

/** Connects a service with an n8n that has the package, by a credential. */
export async function connect<Instance extends Running>(
	service: Service,
	n8n: Instance,
	{ name: usualName = 'Stand-in', data: usualData }: CredentialOptions = {},
): Promise<Omit<Sandbox<Instance>, 'stop'>> {
	const { rest } = n8n;
	const usual = { baseUrl: service.url, apiKey: seeded.demo.apiKey, ...usualData };
	const upsert = (name: string, data: ICredentialDataDecryptedObject = {}) =>
		upsertCredential(rest, { name, type: CREDENTIAL_TYPE, data: { ...usual, ...data } });
	const credential = await upsert(usualName);
	const credentials = { [CREDENTIAL_TYPE]: credential };
	const store = async (workflow: NodeSketch[] | WorkflowDefinition) => {
		const definition = Array.isArray(workflow)
			? chain(workflow.map(({ name }) => name).join(', '), workflow)
			: workflow;
		return new Flow(n8n, await createWorkflow(rest, definition));
	};
	return {
		service,
		n8n,
		credential,
		credentials,
		store,
		action: (name, parameters, more) => ({
			name,
			type: ACTION_TYPE,
			parameters,
			credentials,
			...more,
		}),
		trigger: (parameters, more) => ({
			name: 'Trigger',
			type: TRIGGER_TYPE,
			typeVersion: 2,
			webhookId: randomUUID(),
			parameters,
			credentials,
			...more,
		}),
		addCredential: async (data) => ({ [CREDENTIAL_TYPE]: await upsert(randomUUID(), data) }),
		async activate(workflow) {
			const flow = await store(workflow);
			await flow.activate();
			return flow;
		},
		async run(nodes) {
			return await (await store([START, ...nodes])).run();
		},
	};
}
