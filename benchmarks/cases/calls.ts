import { compare, median, type Row } from '../comparison.ts';
import { callByHttpRequest, callByNode, leads, NOTHING, type Contender } from '../contenders.ts';
import { deploy, interleave, measure } from '../measure.ts';
import { withRig, type Rig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';

const CALLS = 1_000;
const MANY_CALLS = 10_000;
/** What takes ten times as long needs no more rounds than this. */
const MOST_ROUNDS = 3;

/** How much of the processor time of HTTP Request the node may take. */
const MOST_CPU = 0.6;
/** How much of its time, where the service answers at once. */
const MOST_TIME = 0.65;
/** How much more a call may cost among many than among few. */
const MOST_GROWTH = 1.2;

/** How long the service takes to answer, and how much of the other's time the node may take then. */
const LATENCIES = [
	{ latencyMs: 0, mostTime: MOST_TIME },
	{ latencyMs: 50, mostTime: 0.75 },
	{ latencyMs: 200, mostTime: 1.25 },
	// Its calls go out 200 at a time.
	{ latencyMs: 1_000, mostTime: 2.5 },
];

/** What one webhook call cost in each round, in milliseconds. */
interface Costs {
	time: { name: string; rounds: number[] };
	/** Processor time of n8n, less what a run takes that calls nobody. */
	cpu: { name: string; rounds: number[] };
}

/** Makes webhook calls as fast as the node can, to a near service and to far ones. */
export async function measureCalls(context: CaseContext): Promise<Row[]> {
	const calls = context.scaled(CALLS);
	return await withRig({ signal: context.signal }, async (rig) => {
		const rows: Row[] = [];
		for (const { latencyMs, mostTime } of LATENCIES) {
			await rig.service.configure({ latencyMs });
			const contenders = [callByNode(rig), callByHttpRequest(rig)];
			const work = `${calls} calls, ${latencyMs} ms latency`;
			const [node, httpRequest] = await costsOfCalls(rig, contenders, work, calls, context);
			rows.push(
				compare(work, 'ms per call', node.time, httpRequest.time, { atMost: mostTime }),
				compare(work, 'CPU ms per call', node.cpu, httpRequest.cpu, { atMost: MOST_CPU }),
			);
		}
		return rows;
	});
}

/** How the cost of a call grows with their number, and how it compares then. */
export async function measureGrowth(context: CaseContext): Promise<Row[]> {
	const [few, many] = [context.scaled(CALLS), context.scaled(MANY_CALLS)];
	const rounds = Math.min(context.rounds, MOST_ROUNDS);
	return await withRig({ signal: context.signal }, async (rig) => {
		const contenders = [callByNode(rig), callByHttpRequest(rig)];
		const measured = async (calls: number) =>
			await costsOfCalls(rig, contenders, `${calls} calls`, calls, { ...context, rounds });
		const [nodeAmongFew] = await measured(few);
		const [node, httpRequest] = await measured(many);
		const work = `${many} calls`;
		const reference = { ...nodeAmongFew.time, name: `${few} calls` };
		return [
			compare(work, 'ms per call', node.time, httpRequest.time, { atMost: MOST_TIME }),
			compare(work, 'CPU ms per call', node.cpu, httpRequest.cpu, { atMost: MOST_CPU }),
			compare(work, 'ms per call', node.time, reference, { atMost: MOST_GROWTH }),
		];
	});
}

/** Lets contenders call a webhook once for each of so many leads, in turn; throws if one of them misses a call. */
async function costsOfCalls(
	rig: Rig,
	contenders: readonly Contender[],
	work: string,
	calls: number,
	{ rounds, progress }: Pick<CaseContext, 'rounds' | 'progress'>,
): Promise<Costs[]> {
	const runs = [];
	for (const contender of [NOTHING, ...contenders]) {
		const deployed = await deploy(rig, contender);
		const expected = contender === NOTHING ? 0 : calls;
		runs.push(async () => {
			await rig.service.reset('log');
			const sample = await measure(rig, deployed, leads(calls));
			const { accepted } = rig.service.counts();
			if (accepted === expected) return sample;
			throw new Error(
				`${contender.name} made ${accepted} of ${expected} calls. ${sample.error ?? ''}`,
			);
		});
	}
	const [nothing, ...others] = await interleave(runs, rounds, (round) =>
		progress(`${work}: ${round}`),
	);
	const idle = median(nothing.map(({ cpuMs }) => cpuMs));
	return others.map((samples, index) => {
		const { name } = contenders[index];
		return {
			time: { name, rounds: samples.map(({ nodeMs }) => nodeMs / calls) },
			cpu: { name, rounds: samples.map(({ cpuMs }) => (cpuMs - idle) / calls) },
		};
	});
}
