/** The Retry button of a failed execution, in a real n8n. */
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { arrivedAt, activateCalled, expectRetriesContinue, newLeads, texting } from './texting.ts';

jest.setTimeout(2 * START_TIMEOUT_MS);

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ service: { agent: { enabled: false } } });
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

beforeEach(() => sandbox.service.reset('log', 'settings'));

test('it continues where the execution stopped, also with the workflow as it is saved now', async () => {
	await expectRetriesContinue(sandbox);
});

test('it does not send what may have been accepted', async () => {
	const { service } = sandbox;
	await service.configure({
		agent: { enabled: false },
		faults: [{ kind: 'status', status: 503, processed: true, requests: { first: 1 } }],
	});
	const { flow, run } = await activateCalled(sandbox, texting());
	const failed = await run({ list: newLeads(1) });
	const retried = await flow.retry(failed.id);
	expect(retried.error?.message).toContain('not sent again');
	expect(arrivedAt(service)).toHaveLength(1);
});
