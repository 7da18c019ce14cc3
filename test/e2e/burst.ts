/** Deliveries that come in at once while n8n is killed: whatever it has answered with 200 has started the workflow. */
import type { Flow } from '../../sandbox/n8n/flow.ts';
import type { ExecutionSummary } from '../../sandbox/n8n/executions.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { post } from './events.ts';
import { sandbox } from './shared.ts';

/** What the deliveries say, by their numbers, and no other part of an execution does. */
const textOf = (id: number) => `delivery ${id} of the burst`;
const TEXTS = /delivery (\d+) of the burst/g;

/** The numbers of the deliveries that have an execution, whatever became of that; from a page of the list on. */
async function startedBy(flow: Flow, cursor?: string): Promise<number[]> {
	const { rest } = sandbox.n8n;
	const filter = encodeURIComponent(JSON.stringify({ workflowId: flow.workflow.id }));
	const page = `limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
	const { results, nextCursor } = await rest.get<{
		results: ExecutionSummary[];
		nextCursor?: string | null;
	}>(`/rest/executions?filter=${filter}&${page}`);
	const numbers: number[] = [];
	for (const { id } of results) {
		const { data } = await rest.get<{ data: string }>(`/rest/executions/${id}`);
		for (const [, number] of data.matchAll(TEXTS)) numbers.push(Number(number));
	}
	return nextCursor ? [...numbers, ...(await startedBy(flow, nextCursor))] : numbers;
}

/** So many senders deliver at the same time, each one delivery after the other. */
const SENDERS = 20;

/**
 * Sends deliveries until n8n is gone, and waits until it has answered so many of them.
 *
 * @returns What has to hold after the crash.
 */
export async function takeBurst(count: number): Promise<() => Promise<void>> {
	const flow = await sandbox.activate([
		sandbox.trigger({ registration: 'automatic', subscriptionPath: '/public/webhooks' }),
	]);
	const answered: number[] = [];
	const brokenOff: number[] = [];
	let next = 0;
	const deliver = async (id: number) =>
		(await post(flow, JSON.stringify({ id, body: textOf(id) }))).status;
	const sendUntilGone = async () => {
		for (;;) {
			const id = next++;
			const status = await deliver(id).catch(() => undefined);
			if (status !== 200) return brokenOff.push(id);
			answered.push(id);
		}
	};
	const burst = Promise.all(Array.from({ length: SENDERS }, sendUntilGone));
	await until('so many are answered', () => answered.length >= count, { pollMs: 1 });
	return async () => {
		await burst;
		expect(brokenOff).toHaveLength(SENDERS);
		const haveStarted = async (wanted: readonly number[]) => {
			const started = new Set(await startedBy(flow));
			return wanted.every((id) => started.has(id));
		};
		await until('all that was answered has started', () => haveStarted(answered));
		// Some of the others may have started before the kill, and start again: the process that knew of them is gone.
		expect(new Set(await Promise.all(brokenOff.map(deliver)))).toEqual(new Set([200]));
		await until('the others have started', () => haveStarted(brokenOff));

		expect(sandbox.service.subscriptions()).toMatchObject([{ url: flow.url }]);
		await flow.deactivate();
		expect(sandbox.service.subscriptions()).toEqual([]);
	};
}
