import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../sandbox/demo/runExamples.ts';
import { createCredential, upsertCredential } from '../../sandbox/n8n/credentials.ts';
import type { CredentialReference } from '../../sandbox/n8n/credentials.ts';
import {
	listExecutions,
	outputOf,
	startManually,
	waitForExecution,
	WaitingForWebhookError,
} from '../../sandbox/n8n/executions.ts';
import { startN8n, type N8n } from '../../sandbox/n8n/index.ts';
import { PACKAGE_NAME } from '../../sandbox/n8n/paths.ts';
import { RestError, type RestClient } from '../../sandbox/n8n/rest.ts';
import {
	activateWorkflow,
	chain,
	createWorkflow,
	deactivateWorkflow,
} from '../../sandbox/n8n/workflows.ts';
import type { NodeSketch, StoredWorkflow } from '../../sandbox/n8n/workflows.ts';
import { seeded, startService, type Service } from '../../sandbox/service/service.ts';

export const SECRET = 'a-webhook-secret-for-tests';

/** The name of the trigger's node. */
export const TRIGGER = 'Trigger';

const NOTHING: NodeSketch = { name: 'Nothing', type: 'n8n-nodes-base.noOp' };

/** A workflow that begins with a trigger. */
export interface Flow {
	workflow: StoredWorkflow;
	/** Path of the trigger's address below `/webhook` and `/webhook-test`. */
	path: string;
	/** Posts to the production address, as the service would: JSON with the secret in its header. */
	post(body: BodyInit, headers?: Record<string, string>): Promise<Response>;
	/** Has n8n wait for one call to the test address. */
	listen(): Promise<void>;
	/**
	 * What the trigger put out in the executions since the last time, in their order.
	 *
	 * @throws when there are not as many as expected.
	 */
	outputs(count: number): Promise<IDataObject[]>;
}

/** A stand-in, and n8n with a folder that outlives it. */
export interface TriggerSandbox {
	service: Service;
	credential: CredentialReference;
	/** The n8n that runs now. */
	n8n(): N8n;
	/** A node of the trigger, with the credential. */
	trigger(parameters: INodeParameters, more?: Partial<NodeSketch>): NodeSketch;
	/** A credential beside the usual one. */
	addCredential(data: ICredentialDataDecryptedObject): Promise<CredentialReference>;
	/** Changes the usual credential. */
	changeCredential(data: ICredentialDataDecryptedObject): Promise<void>;
	/** Stores a workflow that begins with this node, inactive. */
	store(node: NodeSketch): Promise<Flow>;
	/** Stores a workflow that begins with this node, and activates it; throws what stops that. */
	activate(node: NodeSketch): Promise<Flow>;
	/** Activates a stored workflow, as `activate`. */
	switchOn(flow: Flow): Promise<void>;
	switchOff(flow: Flow): Promise<void>;
	/** Ends n8n as its owner would, and starts it again at the same port. */
	restart(env?: Record<string, string>): Promise<void>;
	stop(): Promise<void>;
}

/** Starts both; to be stopped when the tests of a file are over. */
export async function startTriggerSandbox(env?: Record<string, string>): Promise<TriggerSandbox> {
	const userFolder = await mkdtemp(join(tmpdir(), 'n8n-trigger-'));
	const service = await startService({ agent: { enabled: false } });
	let running: N8n | undefined;
	const n8n = () => {
		if (!running) throw new Error('n8n is not running');
		return running;
	};
	const stop = async () => {
		await running?.stop();
		await service.close();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	};
	try {
		running = await startN8n({ userFolder, env });
		const usual = { baseUrl: service.url, apiKey: seeded.demo.apiKey, webhookSecret: SECRET };
		const credentialWith = (name: string, data: ICredentialDataDecryptedObject) => ({
			name,
			type: CREDENTIAL_TYPE,
			data: { ...usual, ...data },
		});
		const credential = await upsertCredential(n8n().rest, credentialWith('Stand-in', {}));
		const store = async (node: NodeSketch) => {
			const name = expect.getState().currentTestName?.slice(-100) ?? 'Trigger';
			const workflow = await createWorkflow(n8n().rest, chain(name, [node, NOTHING]));
			return flowOf(n8n, workflow, `${node.webhookId}/webhook`);
		};
		const switchOn = async ({ workflow }: Flow) => {
			await activateWorkflow(n8n().rest, workflow);
			const failures = await settled(n8n().rest, workflow);
			if (failures.length > 0) throw new Error(failures.join('; '));
		};
		return {
			service,
			credential,
			n8n,
			store,
			stop,
			trigger: (parameters, more) => ({
				name: TRIGGER,
				type: `${PACKAGE_NAME}.messagingServiceTrigger`,
				typeVersion: 1.1,
				webhookId: randomUUID(),
				parameters,
				credentials: { [CREDENTIAL_TYPE]: { ...credential } },
				...more,
			}),
			addCredential: (data) => createCredential(n8n().rest, credentialWith(randomUUID(), data)),
			async changeCredential(data) {
				await upsertCredential(n8n().rest, credentialWith('Stand-in', data));
			},
			async activate(node) {
				const flow = await store(node);
				await switchOn(flow);
				return flow;
			},
			switchOn,
			async switchOff({ workflow }) {
				await deactivateWorkflow(n8n().rest, workflow.id);
				await settled(n8n().rest, workflow);
			},
			async restart(changed = env) {
				const { port, stop: end } = n8n();
				await end();
				running = await startN8n({ userFolder, port, env: changed });
			},
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

interface PublicationStatus {
	status: string;
	triggers: Array<{ errorMessage: string | null }>;
}

/**
 * Waits until n8n has switched the triggers of a workflow on or off, which it does after its answer, in several
 * tries. Gives what stopped it.
 */
async function settled(rest: RestClient, { id }: StoredWorkflow): Promise<string[]> {
	for (;;) {
		const state = await publicationStatus(rest, id);
		// n8n 1.x has done it when it answers.
		if (!state) return [];
		if (state.status !== 'in_progress') {
			return state.triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
		}
		await sleep(50);
	}
}

async function publicationStatus(
	rest: RestClient,
	id: string,
): Promise<PublicationStatus | undefined> {
	try {
		return await rest.get<PublicationStatus>(`/rest/workflows/${id}/publication-status`);
	} catch (error) {
		if (error instanceof RestError && error.status === 404) return undefined;
		throw error;
	}
}

function flowOf(n8n: () => N8n, workflow: StoredWorkflow, path: string): Flow {
	const seen = new Set<string>();
	const unseen = async () => {
		const executions = await listExecutions(n8n().rest, workflow);
		// n8n 1.x may list one twice that is just ending.
		const ids = new Set(executions.map(({ id }) => id));
		return [...ids].filter((id) => !seen.has(id)).reverse();
	};
	return {
		workflow,
		path,
		async post(body, headers = {}) {
			return await fetch(`${n8n().url}/webhook/${path}`, {
				method: 'POST',
				body,
				headers: {
					'content-type': 'application/json',
					'x-webhook-secret': SECRET,
					...headers,
				},
			});
		},
		async listen() {
			try {
				await startManually(n8n().rest, workflow, TRIGGER);
			} catch (error) {
				if (error instanceof WaitingForWebhookError) return;
				throw error;
			}
			throw new Error('The workflow started by itself');
		},
		async outputs(count) {
			const deadline = Date.now() + 20_000;
			let ids = await unseen();
			while (ids.length < count && Date.now() < deadline) {
				await sleep(50);
				ids = await unseen();
			}
			if (ids.length !== count) throw new Error(`${ids.length} executions instead of ${count}`);
			const outputs = [];
			// In the order in which they came in.
			for (const id of ids.toSorted((a, b) => Number(a) - Number(b))) {
				seen.add(id);
				const execution = await waitForExecution(n8n().rest, id);
				expect(execution.error?.message).toBeUndefined();
				outputs.push(...outputOf(execution, TRIGGER).map(({ json }) => json));
			}
			return outputs;
		},
	};
}
