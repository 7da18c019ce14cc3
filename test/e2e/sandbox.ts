import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../sandbox/demo/runExamples.ts';
import { createCredential, type CredentialReference } from '../../sandbox/n8n/credentials.ts';
import { outputOf, runManually, type Execution } from '../../sandbox/n8n/executions.ts';
import { startN8n, type N8n, type N8nOptions } from '../../sandbox/n8n/index.ts';
import { PACKAGE_NAME } from '../../sandbox/n8n/paths.ts';
import { chain, createWorkflow, type NodeSketch } from '../../sandbox/n8n/workflows.ts';
import {
	seeded,
	startService,
	type Service,
	type ServiceOptions,
} from '../../sandbox/service/service.ts';

/** For hooks that start n8n: on a busy machine that takes a while. */
export const START_TIMEOUT_MS = 120_000;

export const ACTION_TYPE = `${PACKAGE_NAME}.messagingService`;

const START: NodeSketch = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** What one workflow did, node by node. */
export interface RunResult {
	execution: Execution;
	items(node: string, output?: number): INodeExecutionData[];
}

/** A real n8n with the package, and a stand-in for the service that it is connected to. */
export interface Sandbox {
	n8n: N8n;
	service: Service;
	credential: CredentialReference;
	/** A node of this package, connected to the stand-in. */
	action(name: string, parameters: INodeParameters, more?: Partial<NodeSketch>): NodeSketch;
	/** Runs nodes in a row, after a manual start. */
	runWorkflow(nodes: NodeSketch[]): Promise<RunResult>;
	stop(): Promise<void>;
}

/** A Code node that puts out the given items. */
export function itemsNode(name: string, items: object[]): NodeSketch {
	const json = items.map((item) => ({ json: item }));
	return {
		name,
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode: `return ${JSON.stringify(json)};` },
	};
}

/** Starts both; to be stopped when the tests of a file are over. */
export async function startSandbox(
	options: { service?: ServiceOptions; n8n?: N8nOptions } = {},
): Promise<Sandbox> {
	const service = await startService(options.service);
	let n8n: N8n | undefined;
	const stop = async () => {
		await n8n?.stop();
		await service.close();
	};
	try {
		n8n = await startN8n(options.n8n);
		const { rest } = n8n;
		const credential = await createCredential(rest, {
			name: 'Stand-in',
			type: CREDENTIAL_TYPE,
			data: { baseUrl: service.url, apiKey: seeded.demo.apiKey },
		});
		return {
			n8n,
			service,
			credential,
			stop,
			action: (name, parameters, more) => ({
				name,
				type: ACTION_TYPE,
				parameters,
				credentials: { [CREDENTIAL_TYPE]: { ...credential } },
				...more,
			}),
			async runWorkflow(nodes) {
				const name = expect.getState().currentTestName?.slice(0, 100) ?? 'Test';
				const workflow = await createWorkflow(rest, chain(name, [START, ...nodes]));
				const execution = await runManually(rest, workflow, START.name);
				return { execution, items: (node, output) => outputOf(execution, node, output) };
			},
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
