import { invokeByNode, NOTHING } from '../contenders.ts';
import { interleave } from '../measure.ts';
import { atMost, type Findings, type Overhead } from '../results.ts';
import { withRig } from '../rig/rig.ts';
import { figureOf, medianRatio } from '../statistics.ts';
import type { CaseContext } from './context.ts';
import { costsPerItem, invokers } from './invoke.ts';

const ITEMS = 1_000;

/** The first has nothing to wait for, so that what is remembered weighs most; the second is as in life. */
const SERVICES = [
	{ latencyMs: 0, name: 'no latency' },
	{ latencyMs: 50, name: '50 ms latency', mostRatio: 1.05 },
];

/** What it costs to send once per key. All keys are new ones, as those of new leads are. */
export async function measureOnce({
	rounds,
	signal,
	progress,
}: CaseContext): Promise<Partial<Findings>> {
	return await withRig({ messages: 0, signal }, async (rig) => {
		const contenders = [
			NOTHING,
			invokeByNode(rig, { paced: false }),
			// Others in each execution: from the second one on, the same would be skipped.
			invokeByNode(rig, { paced: false, onceKey: '={{ $execution.id }}/{{ $json.lead }}' }),
		];
		const overheads: Overhead[] = [];
		for (const { latencyMs, name, mostRatio } of SERVICES) {
			await rig.standIn.configure({ latencyMs });
			const what = `Once per key, ${ITEMS.toLocaleString('en')} webhooks, ${name}`;
			const runs = await invokers(rig, contenders, ITEMS);
			const [nothing = [], without = [], withKeys = []] = await interleave(runs, rounds, (round) =>
				progress(`${what}: ${round}`),
			);
			const { time, cpu } = costsPerItem(ITEMS, nothing);
			overheads.push(
				overhead(`${what}: time per item`, time(without), time(withKeys), mostRatio),
				overhead(`${what}: CPU per item`, cpu(without), cpu(withKeys)),
			);
		}
		return { overheads };
	});
}

function overhead(
	what: string,
	without: number[],
	withKeys: number[],
	mostRatio?: number,
): Overhead {
	const ratio = medianRatio(withKeys, without);
	const figures = { without: figureOf(without), with: figureOf(withKeys) };
	return { what, ...figures, ratio, ...atMost(ratio, mostRatio) };
}
