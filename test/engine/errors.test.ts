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
const START = { webhook: byId(known.webhookId), phone: '+15555550142' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const ONCE = { options: { maxRetries: 0 } };

/** What the user reads of a run that fails, which gives nothing, and does not show the key. */
async function wordsOfFailing(
	operation: NodeOperation,
	parameters: INodeParameters,
	{ faults = [], apiKey = KEY }: { faults?: Fault[]; apiKey?: string } = {},
) {
	const service = await start({ faults });
	const credential = credentialOf(service, { apiKey });
	const result = await run(service, operation, parameters, { credential });
	expect(result.outputs.flat()).toEqual([]);
	expect(JSON.stringify(result)).not.toContain(apiKey);
	return wordsOf(result);
}

describe('the error says what happened and what to do, for its item', () => {
	test('a wrong key', async () => {
		const apiKey = 'a-wrong-key';
		expect(await wordsOfFailing('agent.start', START, { apiKey })).toEqual({
			message: expect.stringMatching(/does not accept the API key/),
			description: expect.stringMatching(/Missing or invalid API key.*credential.*settings/),
			itemIndex: 0,
		});
	});

	test('an unknown agent', async () => {
		const parameters = { agentId: UNKNOWN, schema: '{"nodes": []}' };
		expect(await wordsOfFailing('agentVersion.create', parameters)).toEqual({
			message: expect.stringMatching(/cannot find this agent or version/),
			description: expect.stringMatching(/Pipeline not found.*API key of the agent's team/),
			itemIndex: 0,
		});
	});

	test('a time-out of a write', async () => {
		const parameters = { name: 'A', options: { timeout: 1_000 } };
		const faults: Fault[] = [{ kind: 'neverAnswer' }];
		expect(await wordsOfFailing('inbox.createExternal', parameters, { faults })).toEqual({
			message: expect.stringMatching(/did not answer within 1 seconds/),
			description: expect.stringMatching(/may have acted.*Check there.*longer "Timeout"/),
			itemIndex: 0,
		});
	});
});

test('a refused connection says where nothing could be reached', async () => {
	const words = wordsOf(await run(await findNobody(), 'inbox.getAll', ONCE));
	expect(words.message).toContain(`cannot be reached at 127.0.0.1`);
	expect(words.description).toMatch(/^Nothing was sent.*base URL/);
	expect(words.itemIndex).toBe(0);
});

test.each<[string, string]>([
	['empty', ''],
	['no address', 'not an address'],
	['with a user name', 'https://ada:hunter2@messaging.example.com'],
])('a base URL that is %s is an error about the credential', async (_kind, baseUrl) => {
	const credential = { baseUrl, apiKey: KEY };
	const result = await run({ url: '' }, 'inbox.getAll', {}, { credential });
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
	const result = await run(service, 'agent.start', { webhook: KEY });
	const { message, description } = wordsOf(result);
	expect(message).toContain('Webhook');
	expect(description).toContain('[hidden]');
	expect(description).not.toContain(KEY);
});

test('an operation that is not there says so', async () => {
	const service = await start();
	const parameters = { resource: 'agent', operation: 'remove' };
	const result = await run(service, 'agent.start', parameters, { input: numbered(2) });
	expect(wordsOf(result).message).toContain('"remove"');
	expect(service.received()).toEqual([]);
});
