/** A workflow that begins with the polling trigger. */
import type { INodeParameters } from 'n8n-workflow';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { POLLING_TRIGGER_TYPE } from '../../sandbox/n8n/nodeTypes.ts';
import type { Sandbox } from '../../sandbox/n8n/sandbox.ts';
import type { NodeSketch, StoredWorkflow } from '../../sandbox/n8n/workflows.ts';

/** The trigger, and a node that does something with each message. It polls when it is activated, and once a month. */
export function pollingNodes(
	{ credentials }: Pick<Sandbox, 'credentials'>,
	more: INodeParameters = {},
): NodeSketch[] {
	const parameters = { pollTimes: { item: [{ mode: 'everyMonth' }] }, ...more };
	return [
		{ name: 'Poll', type: POLLING_TRIGGER_TYPE, parameters, credentials },
		{ name: 'Note', type: 'n8n-nodes-base.noOp' },
	];
}

export async function pollAgain(flow: Flow): Promise<void> {
	await flow.deactivate();
	await flow.activate();
}

/** Saves other filters of the trigger, and publishes the workflow with them. */
export async function publishWith(
	{ n8n: { rest } }: Pick<Sandbox, 'n8n'>,
	flow: Flow,
	filters: INodeParameters,
): Promise<void> {
	const path = `/rest/workflows/${flow.workflow.id}`;
	const { nodes, ...stored } = await rest.get<StoredWorkflow>(path);
	for (const { name, parameters } of nodes)
		if (name === 'Poll') Object.assign(parameters, { filters });
	const saved = await rest.patch<StoredWorkflow>(path, { ...stored, nodes });
	flow.workflow.versionId = saved.versionId;
	await pollAgain(flow);
}

/** The texts of the messages that started a workflow since the last time, execution by execution. */
export async function textsOf(flow: Flow, executions: number): Promise<unknown[][]> {
	const runs = await flow.ran(executions);
	return runs.map((run) => run.items('Poll').map(({ json }) => json.body));
}
