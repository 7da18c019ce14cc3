/** The connection fails in a real n8n: what the node says, and what n8n's own Retry On Fail does then. */
import { CREDENTIAL_TYPE } from '../../sandbox/demo/runExamples.ts';
import { createCredential } from '../../sandbox/n8n/credentials.ts';
import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import { seeded, type Fault } from '../../sandbox/service/service.ts';
import { START_TIMEOUT_MS, startSandbox, type Sandbox } from './sandbox.ts';

jest.setTimeout(START_TIMEOUT_MS);

const [webhookId = ''] = seeded.demo.webhookIds;

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ service: { messages: 0, agent: { enabled: false } } });
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

const invoke = (phone: string, credential = sandbox.credential) =>
	sandbox.action(
		'Text',
		{
			resource: 'pipeline',
			operation: 'invokeWebhook',
			webhookId: { __rl: true, mode: 'id', value: webhookId },
			phone,
			options: { timeout: 2_000, maxRetries: 0, onceKey: phone },
		},
		{ retryOnFail: true, credentials: { [CREDENTIAL_TYPE]: { ...credential } } },
	);

const FAULTS: Array<[what: string, phone: string, fault: Fault, message: string]> = [
	['breaks off', '+15555550130', { kind: 'dropAfter' }, 'broke off'],
	[
		'stays silent',
		'+15555550131',
		{ kind: 'neverAnswer', processed: true },
		'did not answer within 2 seconds',
	],
];

it.each(FAULTS)('sends a text once when the service %s', async (_, phone, fault, message) => {
	await sandbox.service.configure({ faults: [fault] });
	const first = await sandbox.runWorkflow([invoke(phone)]);
	await sandbox.service.configure({ faults: [] });

	expect(first.execution.error).toMatchObject({
		message: expect.stringContaining(message),
		context: { uncertain: true },
	});
	const texts = sandbox.service.accepted().filter(({ body }) => body.phone === phone);
	expect(texts).toHaveLength(1);
});

it('says that the service cannot be reached, and that nothing was sent', async () => {
	const nowhere = await createCredential(sandbox.n8n.rest, {
		name: 'Nowhere',
		type: CREDENTIAL_TYPE,
		data: { baseUrl: `http://${LOOPBACK}:${await findFreePort()}`, apiKey: 'key' },
	});

	const { execution } = await sandbox.runWorkflow([invoke('+15555550132', nowhere)]);

	expect(execution.error).toMatchObject({
		message: expect.stringContaining('cannot be reached'),
		description: expect.stringContaining('nothing was sent'),
		context: { uncertain: false },
	});
});
