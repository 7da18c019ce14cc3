import { pollAgain, pollingNodes, textsOf } from '../e2e/pollingFlow.ts';
import { deployment, workerOf } from './deployment.ts';

test('the main polls, and a worker runs what a message starts, once', async () => {
	const flow = await deployment.activate(pollingNodes(deployment));
	deployment.service.receiveMessage({ phone: '+15555550142', body: 'Hello' });
	await pollAgain(flow);
	expect(await textsOf(flow, 1)).toEqual([['Hello']]);
	await pollAgain(flow);
	const executions = await flow.executions();
	expect(executions).toHaveLength(1);
	expect(workerOf({ id: executions[0]?.id ?? '' })).toBeDefined();
	await flow.deactivate();
});
