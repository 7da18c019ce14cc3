/** Who means harm: n8n goes on answering, and starts nothing that it should not. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import {
	findChild,
	forgetPeakMemory,
	mainThreadTime,
	memoryNow,
	peakMemory,
} from '../../benchmarks/rig/procfs.ts';
import type { Flow } from '../../sandbox/n8n/flow.ts';
import { connect } from '../../sandbox/n8n/sandbox.ts';
import { defaultVersion, versionOf } from '../../sandbox/n8n/versions.ts';
import { webhookNode } from '../../sandbox/n8n/workflows.ts';
import { bomb, withHostile } from '../helpers/hostileService.ts';
import { outputs, post, SECRET } from './events.ts';
import {
	hostileRequests,
	isUnfinished,
	sendHostile,
	type Answer,
	type HostileRequest,
} from './hostileRequests.ts';
import { describeOnN8n2, sandbox } from './shared.ts';
import { invoking } from './texting.ts';

const SEED = 20_260_301;
/** So few that n8n, which takes some dozens of calls a second, answers each within the patience of its sender. */
const CONNECTIONS = 20;
/** How often a request is looked at again that failed. */
const ROUNDS = 3;

const POLL_MS = 50;
const MOST_HELD_UP_MS = 200;
/** A machine that is busy with other things may keep a poll waiting, but not that long. */
const MOST_BUSY_MS = 3_000;
const MOST_MEMORY = 300_000_000;

const LIST = { resource: 'message', operation: 'getAll', returnAll: true };
const OPERATIONS: INodeParameters[] = [LIST, invoking({ phone: '+15555550142' })];

/** Elsewhere there is no /proc to measure by. */
const testOnLinux = process.platform === 'linux' ? test : test.skip;

/**
 * Milliseconds for which n8n keeps a call waiting. On a busy machine the call takes longer, so it is the time of the
 * processor that counts, which a blocked event loop uses up.
 */
async function heldUp(pid: number): Promise<number> {
	const worked = await mainThreadTime(pid);
	const began = performance.now();
	const { ok } = await fetch(`${sandbox.n8n.url}/healthz`);
	expect(ok).toBe(true);
	const took = performance.now() - began;
	return took > MOST_BUSY_MS ? took : Math.min(took, (await mainThreadTime(pid)) - worked);
}

/** Does the work, and tells what it does to n8n meanwhile. */
async function watched<Result>(work: () => Promise<Result>) {
	const pid = await findChild(versionOf(defaultVersion()).bin);
	await forgetPeakMemory(pid);
	const before = await memoryNow(pid);
	let isOver = false;
	const polls = async () => {
		let longest = 0;
		while (!isOver) {
			longest = Math.max(longest, await heldUp(pid));
			await sleep(POLL_MS);
		}
		return longest;
	};
	const working = work().finally(() => (isOver = true));
	const [result, longestMs] = await Promise.all([working, polls()]);
	return { result, longestMs: Math.round(longestMs), memory: (await peakMemory(pid)) - before };
}

const TOO_LARGE = 'The response of the messaging service is larger than 10 MB';

testOnLinux('a gzip bomb holds nothing up, and ends with an error', async () => {
	const measure = () =>
		withHostile(bomb, async ({ url }) => {
			const hostile = { url, close: async () => {} };
			const { run, action } = await connect(hostile, sandbox.n8n, { name: 'Bomb' });
			const runOne = (operation: INodeParameters) => run([action('Action', operation)]);
			return await watched(async () => await Promise.all(OPERATIONS.map(runOne)));
		});
	// n8n loads some of its parts when they are first used.
	await sandbox.run([sandbox.action('Action', LIST)]);
	let measured = await measure();
	// What holds n8n up does so each time; what n8n does for itself comes once.
	if (measured.longestMs >= MOST_HELD_UP_MS) measured = await measure();
	const { result, longestMs, memory, requests } = measured;
	expect(result.map((run) => run.error?.message)).toEqual([TOO_LARGE, TOO_LARGE]);
	expect(requests).toBe(OPERATIONS.length);
	expect(longestMs).toBeLessThan(MOST_HELD_UP_MS);
	expect(memory).toBeLessThan(MOST_MEMORY);
});

describeOnN8n2('Hostile requests to the trigger', () => {
	interface Hostile {
		request: HostileRequest;
		flow: Flow;
	}

	/** Sends requests, some at the same time, and gives the answers. */
	async function answersTo(calls: Hostile[], first: string[] = []): Promise<Answer[]> {
		const answers: Answer[] = [];
		const left = [...calls.entries()];
		const sender = async () => {
			for (let next = left.shift(); next; next = left.shift()) {
				const [index, { request, flow }] = next;
				// Not long where no answer is due.
				const patienceMs = isUnfinished(request) ? 300 : 8_000;
				const target = { port: sandbox.n8n.port, path: `/webhook/${flow.path}`, patienceMs, first };
				answers[index] = await sendHostile(target, request);
			}
		};
		await Promise.all(Array.from({ length: CONNECTIONS }, sender));
		return answers;
	}

	/** An answer that is n8n's fault; no answer at all is one, unless the request did not end. */
	const isFailure = (answer: Answer | undefined, request: HostileRequest) =>
		typeof answer === 'number' ? answer >= 500 : answer === 'silence' && !isUnfinished(request);

	const failing = (calls: Hostile[], answers: Answer[]) =>
		calls.filter(({ request }, index) => isFailure(answers[index], request));

	/** That n8n's own Webhook node fails for the same requests. On a busy machine, some fail by chance. */
	async function expectNoOwnFailures(
		calls: Hostile[],
		answers: Answer[],
		first?: string[],
	): Promise<void> {
		let suspects = failing(calls, answers);
		for (let round = 0; round < ROUNDS && suspects.length > 0; round++) {
			await sandbox.n8n.ready();
			const theirs = suspects.map(({ request }) => ({ request, flow: webhook }));
			const known = new Set(
				failing(theirs, await answersTo(theirs, first)).map(({ request }) => request),
			);
			const ours = suspects.filter(({ request }) => !known.has(request));
			suspects = failing(ours, await answersTo(ours, first));
		}
		expect(
			suspects.map(({ request: { body, ...request } }) =>
				JSON.stringify({ ...request, body: body.subarray(0, 200).toString() }),
			),
		).toEqual([]);
	}

	let webhook: Flow;

	beforeAll(async () => {
		webhook = await sandbox.activate([webhookNode('webhook-beside')]);
	});

	const signed = (more: INodeParameters) => sandbox.trigger({ verification: 'signature', ...more });

	test('without a valid secret start nothing and break nothing', async () => {
		const credentials = await sandbox.addCredential({ webhookSecret: 'whsec_c2VjcmV0' });
		const flows = await Promise.all(
			[
				sandbox.trigger({}),
				sandbox.trigger({ secretIn: 'query' }),
				signed({ signature: { separator: 'comma', prefix: 'v1=' } }),
				{ ...signed({ scheme: 'standardWebhooks' }), credentials },
				signed({ signature: { signedContent: `${'{header:host}'.repeat(70)}{body}` } }),
			].map((trigger) => sandbox.activate([trigger])),
		);
		const [first] = flows;
		if (!first) throw new Error('No workflows');
		const calls = hostileRequests(240, SEED).map((request, index) => ({
			request,
			flow: flows[index % flows.length] ?? first,
		}));

		const answers = await answersTo(calls);
		const accepted = answers.filter((answer) => typeof answer === 'number' && answer < 300);
		// n8n answers OPTIONS itself.
		expect(accepted.filter((answer) => answer !== 204)).toEqual([]);
		await expectNoOwnFailures(calls, answers);

		for (const flow of flows) await outputs(flow, 0);
		expect((await post(first, '{"ok":1}')).status).toBe(200);
		expect(await outputs(first, 1)).toEqual([{ ok: 1 }]);
	});

	test('with the secret break nothing that n8n itself does not', async () => {
		const flow = await sandbox.activate([
			sandbox.trigger({
				events: ['a', '1'],
				filters: { inboxIds: ['11111111-1111-4111-8111-111111111111'] },
				options: { fullRequest: true, deliveryField: 'a' },
			}),
		]);
		// A second header of the name would be joined to the first one.
		const calls = hostileRequests(60, SEED + 1).map((request) => ({
			request: {
				...request,
				method: 'POST',
				headers: request.headers.filter((header) => !header.startsWith('x-webhook-secret')),
			},
			flow,
		}));
		const proof = [`x-webhook-secret: ${SECRET}`];
		await expectNoOwnFailures(calls, await answersTo(calls, proof), proof);
		expect((await post(flow, '{"ok":1}')).status).toBe(200);
	});
});
