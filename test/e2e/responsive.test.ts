/** What else n8n does while a service means harm, and while many leads are texted. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import {
	findChild,
	forgetPeakMemory,
	mainThreadTime,
	memoryNow,
	peakMemory,
} from '../../benchmarks/rig/procfs.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { connect, startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { defaultVersion, versionOf } from '../../sandbox/n8n/versions.ts';
import { bomb, drip, endless, withHostile } from '../helpers/hostileService.ts';
import { activateCalled, arrivedAt, invoking, newLeads, texting } from './texting.ts';

jest.setTimeout(2 * START_TIMEOUT_MS);

const POLL_MS = 50;
const MOST_HELD_UP_MS = 200;
/** A machine that is busy with other things may keep a poll waiting, but not that long. */
const MOST_BUSY_MS = 3_000;
const MOST_MEMORY = 300_000_000;

/** A twentieth is left to single leads. */
const LIMIT = 40;
const RESERVE = 2;

const LIST = { resource: 'message', operation: 'getAll', returnAll: true };
const OPERATIONS: INodeParameters[] = [LIST, invoking({ payloadMode: 'input' })];

/** Elsewhere there is no /proc to measure by. */
const testOnLinux = process.platform === 'linux' ? test : test.skip;

let sandbox: Sandbox;

beforeAll(async () => {
	const agent = { enabled: false };
	sandbox = await startSandbox({ service: { agent, rateLimit: { requests: LIMIT } } });
	// n8n loads some of its parts when they are first used.
	await sandbox.run([sandbox.action('Action', LIST)]);
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

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

testOnLinux.each([
	{ name: 'a gzip bomb', answer: bomb, error: 'is larger than 10 MB' },
	{ name: 'an endless body', answer: endless, error: 'is larger than 10 MB' },
	{
		name: 'a slow drip',
		answer: drip,
		timeout: 3_000,
		error: 'was not complete within 3 seconds',
	},
])('$name holds nothing up, and ends with an error', async ({ name, answer, timeout, error }) => {
	const { result, longestMs, memory, requests } = await withHostile(answer, async ({ url }) => {
		const hostile = { url, close: async () => {} };
		const { run, action } = await connect(hostile, sandbox.n8n, { name });
		const options = timeout ? { timeout } : {};
		const runOne = (operation: INodeParameters) =>
			run([action('Action', { ...operation, options })]);
		return await watched(async () => await Promise.all(OPERATIONS.map(runOne)));
	});
	console.log(`${name}: ${longestMs} ms held up at most, ${Math.round(memory / 1e6)} MB more`);
	const message = `The response of the messaging service ${error}`;
	expect(result.map((run) => run.error?.message)).toEqual([message, message]);
	expect(requests).toBe(OPERATIONS.length);
	expect(longestMs).toBeLessThan(MOST_HELD_UP_MS);
	expect(memory).toBeLessThan(MOST_MEMORY);
});

test('single leads are texted beside a large run of the same team, within the limit', async () => {
	const { service } = sandbox;
	await service.reset('log');
	const { start, run } = await activateCalled(sandbox, texting({ requestsPerMinute: LIMIT }));
	const arrived = (count: number) => () => arrivedAt(service).length === count;
	await start({ list: newLeads(2 * LIMIT) });
	await until('the run has to wait', arrived(LIMIT - RESERVE));

	for (let single = 1; single <= RESERVE; single++) {
		const began = Date.now();
		const { status } = await run({ list: newLeads(1) });
		expect(status).toBe('success');
		expect(Number(service.accepted().at(-1)?.time) - began).toBeLessThan(10_000);
	}
	await start({ list: newLeads(1) });
	await sleep(1_000);
	expect(service.accepted()).toHaveLength(LIMIT);
	expect(service.received()).toHaveLength(LIMIT);
});
