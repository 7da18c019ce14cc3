import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { until } from '../../sandbox/n8n/until.ts';
import { nodeOperations, operationIds } from '../../sandbox/operations.ts';
import type { ServiceOptions } from '../../sandbox/service/service.ts';
import './memoryStore.ts';
import { run, start, startStranger, stopPauses, type NodeOperation } from './service.ts';
import { numbered } from './writes.ts';

const { perItem: START } = nodeOperations['agent.start'];

const MINUTE = 60_000;
/** Longer than a test may take. */
const options = { timeout: 10 * MINUTE };

interface Case {
	name: string;
	operation: NodeOperation;
	parameters: INodeParameters;
	service: ServiceOptions;
	/** Webhook calls that are accepted before the end. */
	accepted?: number;
}

const cases: Case[] = [
	{
		name: 'while a bulk run waits for the rate limit',
		operation: 'agent.start',
		parameters: START,
		service: { rateLimit: { requests: 3, windowMs: MINUTE } },
		accepted: 3,
	},
	{
		name: 'while a list waits after a 429',
		operation: 'message.getAll',
		parameters: { returnAll: true },
		service: {
			faults: [{ kind: 'tooManyRequests', retryAfterMs: MINUTE, requests: { from: 2 } }],
		},
	},
	{
		name: 'while a page of a list hangs',
		operation: 'inbox.getAll',
		parameters: { returnAll: true, options },
		service: { faults: [{ kind: 'neverAnswer' }] },
	},
	{
		name: 'while a write that was refused waits for its next try',
		operation: 'user.create',
		parameters: { email: '={{ "user" + $json.n + "@example.com" }}' },
		service: { faults: [{ kind: 'tooManyRequests', retryAfterMs: MINUTE }] },
	},
	{
		name: 'while replies are waited for',
		operation: 'message.waitForReply',
		parameters: { phone: '={{ "+15555550" + (100 + $json.n) }}', waitMinutes: 60 },
		service: { messages: 0 },
	},
];

/** Does the work, while and after which no request may begin. */
async function nothingBegins(work: () => Promise<void>): Promise<void> {
	const begun = jest.fn();
	subscribe('http.client.request.created', begun);
	await work();
	// What should not be sent is.
	await sleep(200);
	unsubscribe('http.client.request.created', begun);
	expect(begun).not.toHaveBeenCalled();
}

// n8n takes an execution for cancelled by the word "canceled" in the error; else it counts as failed, and the
// error workflow starts.
test.each(cases)(
	'an execution that is cancelled $name ends at once, is cancelled for n8n too, and sends nothing more',
	async ({ operation, parameters, service: settings, accepted = 0 }) => {
		for (const onError of [undefined, 'continueRegularOutput'] as const) {
			const service = await start(settings);
			const stop = new AbortController();
			const more = { input: numbered(20), signal: stop.signal, onError };
			const pauses = stopPauses((milliseconds) => milliseconds > 1_000);
			const running = run(service, operation, parameters, more);
			const isStuck = () =>
				service.accepted().length === accepted &&
				(Number(service.counts().byStatus.silent) > 0 || pauses() > 0);
			await until('it goes on only when it is cancelled', isStuck, { pollMs: 5 });

			await nothingBegins(async () => {
				stop.abort();
				const { status } = await running;
				if (onError === undefined) expect(status).toBe('canceled');
			});
			expect(service.accepted()).toHaveLength(accepted);
			expect(new Set(service.accepted().map(({ body }) => body.n)).size).toBe(accepted);
		}
	},
);

// What a write did matters even after the end.
describe('a write that is under way when the execution is cancelled is waited for, and nothing more begins', () => {
	const answers: Record<string, (response: ServerResponse, id: NodeOperation) => void> = {
		accepted: (response, id) =>
			void response
				.writeHead(202)
				.end(id === 'oneTimePassword.verify' ? '"valid"' : '{ "id": "1" }'),
		refused: (response) => void response.writeHead(400).end(),
		unknown: (response) => void response.destroy(),
	};
	const cases = operationIds
		.filter((id) => nodeOperations[id].effect !== 'reads')
		.flatMap((id) => Object.entries(answers).map(([outcome, answer]) => ({ id, outcome, answer })));

	test.each(cases)('$id: $outcome', async ({ id, answer }) => {
		// All others go one by one.
		const width = id === 'agent.start' ? 4 : 1;
		const held: ServerResponse[] = [];
		const service = await startStranger((response) => void held.push(response));
		const stop = new AbortController();
		const parameters = { ...nodeOperations[id].perItem, options };
		const more = { input: numbered(20), signal: stop.signal, maxCalls: 4 };
		const running = run(service, id, parameters, more);
		await until('calls are under way', () => held.length === width, { pollMs: 5 });
		await nothingBegins(async () => {
			stop.abort();
			// Whoever breaks a call off does so at once.
			await sleep(100);
			expect(held.filter(({ destroyed }) => destroyed)).toEqual([]);
			for (const response of held) answer(response, id);
			expect((await running).status).toBe('canceled');
		});
		expect(held).toHaveLength(width);
	});
});
