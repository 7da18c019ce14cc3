import { invokeByNode, NOTHING } from '../contenders.ts';
import { interleave, type Sample } from '../measure.ts';
import { findings, type Findings, type Overhead } from '../results.ts';
import { withRig, type Rig } from '../rig/rig.ts';
import { figureOf, median } from '../statistics.ts';
import type { CaseContext } from './context.ts';
import { invoker } from './invoke.ts';

const ITEMS = 1_000;
const TARGET = { ratio: 1.05, words: 'at most 1.05' };

/** The first has nothing to wait for, so that what is remembered weighs most; the second is as in life. */
const SERVICES = [
	{ latencyMs: 0, name: 'no latency' },
	{ latencyMs: 50, name: '50 ms latency', target: TARGET },
];

/** What it costs to send once per key. All keys are new ones, as those of new leads are. */
export async function measureOnce({ rounds, signal, progress }: CaseContext): Promise<Findings> {
	return await withRig({ messages: 0, signal }, async (rig) => {
		const overheads: Overhead[] = [];
		for (const { latencyMs, name, target } of SERVICES) {
			await rig.standIn.configure({ latencyMs });
			const what = `Once per key, ${ITEMS.toLocaleString('en')} webhooks, ${name}`;
			const runs = await prepare(rig);
			const [nothing = [], without = [], withKeys = []] = await interleave(runs, rounds, (round) =>
				progress(`${what}: ${round}`),
			);
			const idle = median(nothing.map(({ cpuMs }) => cpuMs));
			const time = ({ nodeMs }: Sample) => nodeMs / ITEMS;
			const cpu = ({ cpuMs }: Sample) => (cpuMs - idle) / ITEMS;
			overheads.push(
				overheadOf(`${what}: time per item`, without.map(time), withKeys.map(time), target),
				overheadOf(`${what}: CPU per item`, without.map(cpu), withKeys.map(cpu)),
			);
		}
		return findings({ overheads });
	});
}

async function prepare(rig: Rig): Promise<Array<() => Promise<Sample>>> {
	const contenders = [
		NOTHING,
		invokeByNode(rig, { paced: false }),
		// Others in each execution: from the second one on, the same would be skipped.
		invokeByNode(rig, { paced: false, onceKey: '={{ $execution.id }}/{{ $json.lead }}' }),
	];
	const runs: Array<() => Promise<Sample>> = [];
	for (const contender of contenders) runs.push(await invoker(rig, contender, ITEMS));
	return runs;
}

function overheadOf(
	what: string,
	without: number[],
	withKeys: number[],
	target?: typeof TARGET,
): Overhead {
	// Round by round, since a busy machine slows both down alike.
	const ratio = median(withKeys.map((value, round) => value / (without[round] ?? NaN)));
	return {
		what,
		without: figureOf(without),
		with: figureOf(withKeys),
		ratio,
		...(target && { target: { words: target.words, met: ratio <= target.ratio } }),
	};
}
