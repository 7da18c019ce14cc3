import { compare, median, type Row } from '../comparison.ts';
import { callByHttpRequest, callByNode, leads, NOTHING, type Contender } from '../contenders.ts';
import { deploy, interleave, measure } from '../measure.ts';
import { withRig, type Rig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';

const CALLS = 1_000;
/** How many milliseconds the service takes to answer. */
const LATENCIES = [0, 50, 200, 1_000];

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
		for (const latencyMs of LATENCIES) {
			await rig.service.configure({ latencyMs });
			const contenders = [callByNode(rig), callByHttpRequest(rig)];
			const work = `${calls} calls, ${latencyMs} ms latency`;
			const [node, httpRequest] = await costsOfCalls(rig, contenders, work, calls, context);
			rows.push(
				compare(work, 'ms per call', node.time, httpRequest.time),
				compare(work, 'CPU ms per call', node.cpu, httpRequest.cpu),
			);
		}
		return rows;
	});
}

/** Lets contenders call a webhook once for each of so many leads, in turn; throws if one of them misses a call. */
async function costsOfCalls(
	rig: Rig,
	contenders: readonly Contender[],
	work: string,
	calls: number,
	{ rounds, progress }: CaseContext,
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
