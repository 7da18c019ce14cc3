/** What a polling trigger remembers, in n8n's own store: that is stored only when the workflow starts, or is published. */
import { pollAgain, pollingNodes, publishWith, textsOf } from './pollingFlow.ts';
import { sandbox } from './shared.ts';

test('a filter that is changed after a while brings no message that was there', async () => {
	const receive = (body: string) => sandbox.service.receiveMessage({ phone: '+15555550143', body });
	const flow = await sandbox.activate(pollingNodes(sandbox, { filters: { text: 'urgent' } }));
	for (let index = 0; index < 20; index++) receive(`no hurry ${index}`);
	receive('urgent');
	await pollAgain(flow);
	expect(await textsOf(flow, 1)).toEqual([['urgent']]);
	receive('no hurry either');
	await publishWith(sandbox, flow, {});
	receive('hello');
	await pollAgain(flow);
	expect(await textsOf(flow, 1)).toEqual([['hello']]);
	await flow.deactivate();
});
