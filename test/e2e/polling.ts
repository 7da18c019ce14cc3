/**
 * The polling trigger in a real n8n: over restarts, when it is switched off and on, and in several workflows. n8n polls at
 * each activation, and else once a minute at most: here, it does so at activations only.
 */
import { pollAgain, pollingNodes, textsOf } from './pollingFlow.ts';
import { sandbox } from './shared.ts';

const PHONE = '+15555550142';

const receive = (body: string) => sandbox.service.receiveMessage({ phone: PHONE, body });
const activatePolling = async () => await sandbox.activate(pollingNodes(sandbox));

test('what came in starts the workflow once, also what came in while n8n was down', async () => {
	const flow = await activatePolling();
	receive('one');
	await pollAgain(flow);
	expect(await textsOf(flow, 1)).toEqual([['one']]);
	await sandbox.n8n.kill();
	receive('two');
	receive('three');
	await sandbox.n8n.start();
	expect(await textsOf(flow, 1)).toEqual([['two', 'three']]);
	await pollAgain(flow);
	expect(await flow.executions()).toHaveLength(2);
	await flow.deactivate();
});

test('each of two workflows gets every message, and one that is new begins with what comes next', async () => {
	const flows = [await activatePolling(), await activatePolling()];
	receive('for both');
	const copy = await activatePolling();
	for (const flow of [...flows, copy]) await pollAgain(flow);
	for (const flow of flows) expect(await textsOf(flow, 1)).toEqual([['for both']]);
	expect(await copy.executions()).toEqual([]);
	for (const flow of [...flows, copy]) await flow.deactivate();
});

test('with a wrong key it is not switched on, and brings all when the key is right again', async () => {
	const flow = await activatePolling();
	await flow.deactivate();
	await sandbox.changeCredential({ apiKey: 'wrong' });
	receive('in spite of it');
	await expect(flow.activate()).rejects.toThrow('API key');
	await sandbox.changeCredential({});
	await flow.activate();
	expect(await textsOf(flow, 1)).toEqual([['in spite of it']]);
	await flow.deactivate();
});

test('"Fetch Test Event" shows the newest message', async () => {
	const flow = await sandbox.store(pollingNodes(sandbox));
	receive('the newest');
	const run = await flow.run('Poll');
	expect(run.items('Poll').map(({ json }) => json.body)).toEqual(['the newest']);
});
