import type { INodeParameters } from 'n8n-workflow';

import { seeded, type Fault, type ServiceOptions } from '../../sandbox/service/service.ts';
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
const INVOKE = { webhookId: byId(known.webhookId) };
const ONCE = { options: { maxRetries: 0 } };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

interface Failure {
	name: string;
	operation: NodeOperation;
	parameters: INodeParameters;
	options?: ServiceOptions;
	apiKey?: string;
	message: RegExp;
	/** All of these are in the description. */
	description: RegExp[];
}

const whenFaulty = (
	fault: Fault,
	operation: NodeOperation,
	parameters: INodeParameters,
): Pick<Failure, 'operation' | 'parameters' | 'options'> => ({
	operation,
	parameters,
	options: { faults: [fault] },
});

const failures: Failure[] = [
	{
		name: '400 in the words of the service',
		operation: 'message.getAll',
		parameters: { filters: { after: '2026-01-01' } },
		options: { dialect: { customNames: { dateFormat: 'unixSeconds' } } },
		message: /did not accept the request: .*startDate must be number/,
		description: [/Status 400/],
	},
	{
		name: '401 for a wrong key',
		operation: 'pipeline.invokeWebhook',
		parameters: INVOKE,
		apiKey: 'wrong',
		message: /does not accept the API key/,
		description: [/Missing or invalid API key/, /credential/, /settings/],
	},
	{
		name: '404 for an unknown agent',
		operation: 'pipelineVersion.create',
		parameters: { pipelineId: UNKNOWN, schema: '{"nodes": []}' },
		message: /cannot find this agent or version/,
		description: [/another team/, /Pipeline not found/],
	},
	{
		name: '503 of a write',
		...whenFaulty({ kind: 'status', status: 503 }, 'pipeline.invokeWebhook', INVOKE),
		message: /reported a server error/,
		description: [/may have acted/, /not sent again/, /503/],
	},
	{
		name: 'a time-out of a write',
		...whenFaulty({ kind: 'neverAnswer' }, 'inbox.createExternal', {
			name: 'A',
			options: { timeout: 150 },
		}),
		message: /did not answer within 0.15 seconds/,
		description: [/may have acted/, /raise "Timeout"/],
	},
	{
		name: 'a dropped connection of a write',
		...whenFaulty({ kind: 'dropAfter' }, 'pipeline.invokeWebhook', INVOKE),
		message: /connection .* broke off/,
		description: [/may have acted/, /not sent again/],
	},
	{
		name: 'JSON that ends too early',
		...whenFaulty({ kind: 'truncatedJson' }, 'user.create', { email: 'a@example.com' }),
		message: /Unexpected response/,
		description: [/accepted the request/, /check there/],
	},
	{
		name: 'a redirect',
		...whenFaulty(
			{ kind: 'redirect', location: 'https://elsewhere.example.com/login?key=1' },
			'inbox.getAll',
			{},
		),
		message: /redirect/,
		description: [/https:\/\/elsewhere\.example\.com/, /base URL/],
	},
];

test.each(failures)(
	'$name: $operation says what happened and what to do, for its item and without the key',
	async ({ operation, parameters, options, apiKey = KEY, message, description }) => {
		const service = await start(options);
		const credential = credentialOf(service, { apiKey });
		const result = await run(service, operation, parameters, { credential });

		const words = wordsOf(result);
		expect(words.message).toMatch(message);
		for (const part of description) expect(words.description).toMatch(part);
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

test('an operation that is not there says so', async () => {
	const service = await start();
	const parameters = { resource: 'pipeline', operation: 'remove' };
	const result = await run(service, 'pipeline.invokeWebhook', parameters, { input: numbered(2) });
	expect(wordsOf(result).message).toContain('"remove"');
	expect(service.received()).toEqual([]);
});
