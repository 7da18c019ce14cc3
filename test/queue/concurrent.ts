/** What is remembered over two workers: what holds, and what n8n's own store loses when both change it. */
import type { Run } from '../../sandbox/n8n/flow.ts';
import { until } from '../../sandbox/n8n/until.ts';
import {
	activateCalled,
	arrivedAt,
	newLeads,
	textingOnce,
	type CalledFlow,
	type Lead,
} from '../e2e/texting.ts';
import { deployment, report, TIMEOUT_MS, workerOf } from './deployment.ts';

/** The part of the leads of which the store may lose track, on a busy machine. */
const RARELY = 0.05;
/** How many single leads come to both workers at the same moment. */
const ROUNDS = 4;

const areOnBoth = (runs: Run[]) => new Set(runs.map((run) => workerOf(run))).size > 1;

/** Starts an execution with each list, all at the same moment, until they were on different workers. */
async function runOnBoth<Item extends object>(
	workflow: CalledFlow,
	listsOf: () => Item[][],
): Promise<{ lists: Item[][]; runs: Run[] }> {
	return await until('both workers had a part', async () => {
		await deployment.service.reset('log');
		const lists = listsOf();
		const ids = await workflow.start(...lists.map((list) => ({ list })));
		const runs = await Promise.all(ids.map((id) => workflow.flow.ended(id, TIMEOUT_MS)));
		expect(runs.map(({ status, error }) => error?.message ?? status)).toEqual(
			runs.map(() => 'success'),
		);
		return areOnBoth(runs) && { lists, runs };
	});
}

// n8n's store loses a change when two workers make one at the same moment.
describe('Send Once', () => {
	let workflow: CalledFlow;

	beforeEach(async () => {
		await deployment.service.configure({ latencyMs: 50 });
		workflow = await activateCalled(deployment, textingOnce());
	});

	const arrived = () => arrivedAt(deployment.service);

	/** How many of these leads are sent again when they come once more, alone. */
	async function resentLater(leads: Lead[]): Promise<number> {
		const before = arrived().length;
		const { status, items } = await workflow.run({ list: leads });
		expect(status).toBe('success');
		const resent = arrived().length - before;
		const uncertain = items().filter(({ json }) => json.outcome === 'uncertain').length;
		report(`${resent} of ${leads.length} were sent again later, ${uncertain} were uncertain then`);
		return resent;
	}

	test('sends no lead twice in runs one after the other, whichever worker they are on', async () => {
		const leads = newLeads(50);
		const runs: Run[] = [];
		while (runs.length < 3 || !areOnBoth(runs)) runs.push(await workflow.run({ list: leads }));
		expect(arrived().toSorted()).toEqual(leads.map(({ lead }) => lead).toSorted());
	});

	test('sends a single lead once that both get at the same moment', async () => {
		let doubles = 0;
		for (let round = 0; round < ROUNDS; round++) {
			const { lists } = await runOnBoth(workflow, () => {
				const same = newLeads(1);
				return [same, same];
			});
			expect(new Set(arrived())).toEqual(new Set(lists.flat().map(({ lead }) => lead)));
			doubles += arrived().length - 1;
		}
		report(`${doubles} of ${ROUNDS} single leads were sent twice`);
		expect(doubles).toBeLessThanOrEqual(1);
	});

	// No lock reaches over both workers; see docs/scaling.md.
	test('sends or names as uncertain what both get at the same moment, and hardly ever sends it later', async () => {
		const { lists, runs } = await runOnBoth(workflow, () => {
			const same = newLeads(100);
			return [same, same];
		});
		const [leads = []] = lists;
		const sent = new Set(arrived());
		const doubles = arrived().length - sent.size;
		report(`${doubles} of ${leads.length} were sent twice`);
		expect(doubles).toBeLessThanOrEqual(RARELY * leads.length);
		const silentlyLost = leads.filter(
			({ lead }, index) =>
				!sent.has(lead) && !runs.every(({ items }) => items()[index]?.json.outcome === 'uncertain'),
		);
		expect(silentlyLost).toEqual([]);
		expect(await resentLater(leads)).toBeLessThanOrEqual(RARELY * leads.length);
	});

	test.each([
		['lists of other leads', 2, 200],
		['executions of a single lead each, as a webhook starts them', 12, 1],
	])('sends %s once, and hardly ever again later', async (_name, executions, length) => {
		const { lists } = await runOnBoth(workflow, () =>
			Array.from({ length: executions }, () => newLeads(length)),
		);
		const leads = lists.flat();
		expect(arrived().toSorted()).toEqual(leads.map(({ lead }) => lead).toSorted());
		expect(await resentLater(leads)).toBeLessThanOrEqual(Math.ceil(RARELY * leads.length));
	});
});
