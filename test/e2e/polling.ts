/** What a polling trigger remembers, in n8n's own store: that is stored only when the workflow starts, or is published. */
import type { INodeParameters } from 'n8n-workflow';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import type { StoredWorkflow } from '../../sandbox/n8n/workflows.ts';
import { pollAgain, pollingNodes, textsOf } from './pollingFlow.ts';
import { sandbox } from './shared.ts';

/** Saves other filters of the trigger, and publishes the workflow with them. */
async function publishWith(flow: Flow, filters: INodeParameters): Promise<void> {
	const path = `/rest/workflows/${flow.workflow.id}`;
	const { nodes, ...stored } = await sandbox.n8n.rest.get<StoredWorkflow>(path);
	for (const { name, parameters } of nodes)
		if (name === 'Poll') Object.assign(parameters, { filters });
	const saved = await sandbox.n8n.rest.patch<StoredWorkflow>(path, { ...stored, nodes });
	flow.workflow.versionId = saved.versionId;
	await pollAgain(flow);
}

test('a filter that is changed after a while brings no message that was there', async () => {
	const receive = (body: string) => sandbox.service.receiveMessage({ phone: '+15555550143', body });
	const flow = await sandbox.activate(pollingNodes(sandbox, { filters: { text: 'urgent' } }));
	for (let index = 0; index < 20; index++) receive(`no hurry ${index}`);
	receive('urgent');
	await pollAgain(flow);
	expect(await textsOf(flow, 1)).toEqual([['urgent']]);
	receive('no hurry either');
	await publishWith(flow, {});
	receive('hello');
	await pollAgain(flow);
	expect(await textsOf(flow, 1)).toEqual([['hello']]);
	await flow.deactivate();
});
