/** How a service gets to know the address of the trigger, in a real n8n. */
import type { INodeParameters } from 'n8n-workflow';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { activateWorkflow, type StoredWorkflow } from '../../sandbox/n8n/workflows.ts';
import { outputs, SECRET } from './events.ts';

jest.setTimeout(START_TIMEOUT_MS);

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		service: { agent: { enabled: false } },
		credential: { data: { webhookSecret: SECRET } },
	});
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

describe('a service without a list, which calls the ID of a subscription something else', () => {
	const endpoint = { list: 'notFound', idField: 'uuid' } as const;
	let flow: Flow;

	/** Saves the workflow with other details of the registration, and publishes it. */
	async function publishWith(subscription: INodeParameters): Promise<string | undefined> {
		const { rest } = sandbox.n8n;
		const path = `/rest/workflows/${flow.workflow.id}`;
		const { name, nodes, connections, settings, versionId } = await rest.get<StoredWorkflow>(path);
		for (const { parameters } of nodes) Object.assign(parameters, { subscription });
		const saved = { name, nodes, connections, settings, versionId };
		const stored = await rest.patch<StoredWorkflow>(path, saved);
		return await activateWorkflow(rest, stored).then(
			() => undefined,
			(error: unknown) => String(error),
		);
	}

	beforeAll(async () => {
		await sandbox.service.configure({ events: { endpoint } });
		const parameters = { registration: 'automatic', subscriptionPath: '/public/webhooks' };
		flow = await sandbox.store([sandbox.trigger(parameters)]);
	});
	afterAll(() => sandbox.service.reset('settings'));

	test('gets one subscription, however often n8n tries, and the error says what to do', async () => {
		for (let times = 0; times < 2; times++) {
			expect(await publishWith({})).toContain(`a subscription for ${flow.url}`);
			expect(sandbox.service.subscriptions()).toMatchObject([{ url: flow.url }]);
		}
	});

	test('is subscribed to once that is done, and n8n was restarted', async () => {
		await sandbox.service.reset('data');
		await sandbox.n8n.restart();
		expect(await publishWith({ idField: 'uuid' })).toBeUndefined();
		await sandbox.service.configure({
			events: { signing: { kind: 'sharedSecret', secret: SECRET } },
		});
		sandbox.service.receiveMessage();
		expect(await outputs(flow, 1)).toMatchObject([{ event: 'message.received' }]);
		await flow.deactivate();
		expect(sandbox.service.subscriptions()).toEqual([]);
	});
});

test('only POST has an address', async () => {
	const open = await sandbox.activate([sandbox.trigger({})]);
	for (const method of ['GET', 'HEAD'])
		expect((await fetch(open.url, { method })).status).toBe(404);
});
