import type { INodeParameters } from 'n8n-workflow';

import { type Fault, seeded } from '../../sandbox/service/service.ts';
import {
	credentialOf,
	findNobody,
	run,
	start,
	startAnswering,
	wordsOf,
	type NodeOperation,
} from './service.ts';
import { byId, known, numbered } from './writes.ts';

const KEY = seeded.demo.apiKey;
const INVOKE = { webhookId: byId(known.webhookId), phone: '+15555550142' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const ONCE = { options: { maxRetries: 0 } };

interface Failure {
	name: string;
	operation: NodeOperation;
	parameters: INodeParameters;
	fault?: Fault;
	apiKey?: string;
	message: RegExp;
	description: RegExp;
}

const failures: Failure[] = [
	{
		name: 'a wrong key',
		operation: 'pipeline.invokeWebhook',
		parameters: INVOKE,
		apiKey: 'wrong',
		message: /does not accept the API key/,
		description: /Missing or invalid API key.*credential.*settings/,
	},
	{
		name: 'an unknown agent',
		operation: 'pipelineVersion.create',
		parameters: { pipelineId: UNKNOWN, schema: '{"nodes": []}' },
		message: /cannot find this agent or version/,
		description: /Pipeline not found.*another team/,
	},
	{
		name: 'a time-out of a write',
		operation: 'inbox.createExternal',
		parameters: { name: 'A', options: { timeout: 150 } },
		fault: { kind: 'neverAnswer' },
		message: /did not answer within 0.15 seconds/,
		description: /may have acted.*Check there.*longer timeout/,
	},
];

test.each(failures)(
	'$name: the error says what happened and what to do, for its item and without the key',
	async ({ operation, parameters, fault, apiKey = KEY, message, description }) => {
		const service = await start({ faults: fault ? [fault] : [] });
		const credential = credentialOf(service, { apiKey });
		const result = await run(service, operation, parameters, { credential });

		const words = wordsOf(result);
		expect(words.message).toMatch(message);
		expect(words.description).toMatch(description);
		expect(words.itemIndex).toBe(0);
		expect(result.outputs.flat()).toEqual([]);
		expect(JSON.stringify(result)).not.toContain(apiKey);
	},
);

test('a refused connection says where nothing could be reached', async () => {
	const words = wordsOf(await run(await findNobody(), 'inbox.getAll', ONCE));
	expect(words.message).toContain(`cannot be reached at 127.0.0.1`);
	expect(words.description).toMatch(/nothing was sent.*base URL/);
	expect(words.itemIndex).toBe(0);
});

test.each<[string, string]>([
	['empty', ''],
	['no address', 'not an address'],
	['with a user name', 'https://ada:hunter2@messaging.example.com'],
])('a base URL that is %s is an error about the credential', async (_kind, baseUrl) => {
	const result = await run(
		{ url: '' },
		'inbox.getAll',
		{},
		{ credential: { baseUrl, apiKey: KEY } },
	);
	const { message, description } = wordsOf(result);
	expect(message).toContain('base URL');
	expect(description).toContain('credential');
	expect(JSON.stringify(result)).not.toMatch(/hunter2|demo-key/);
});

test('the key does not show up where the service repeats it', async () => {
	const echo = await startAnswering(400, { message: `The key ${KEY} is blocked` });
	for (const onError of [undefined, 'continueRegularOutput'] as const) {
		const result = await run(echo, 'inbox.getAll', {}, { onError });
		expect(JSON.stringify(result)).toContain('[hidden]');
		expect(JSON.stringify(result)).not.toContain(KEY);
	}
});

test('the key does not show up where it was entered in another field', async () => {
	const service = await start();
	const result = await run(service, 'pipeline.invokeWebhook', { webhookId: KEY });
	const { message, description } = wordsOf(result);
	expect(message).toContain('Webhook');
	expect(description).toContain('[hidden]');
	expect(description).not.toContain(KEY);
});

test('an operation that is not there says so', async () => {
	const service = await start();
	const parameters = { resource: 'pipeline', operation: 'remove' };
	const result = await run(service, 'pipeline.invokeWebhook', parameters, { input: numbered(2) });
	expect(wordsOf(result).message).toContain('"remove"');
	expect(service.received()).toEqual([]);
});
