import { invokeByNode, NOTHING } from '../contenders.ts';
import { interleave } from '../measure.ts';
import { atMost, type Findings, type Overhead } from '../results.ts';
import { withRig } from '../rig/rig.ts';
import { figureOf, medianRatio } from '../statistics.ts';
import type { CaseContext } from './context.ts';
import { costsPerItem, invokers } from './invoke.ts';

const ITEMS = 1_000;
const LATENCY_MS = 50;

const MOST_TIME_RATIO = 1.05;
const MOST_CPU_RATIO = 1.3;

/** How many keys the node knows already, and how much more new ones may cost beside them than beside none. */
const KNOWN = [
	{ keys: 10_000, mostRatio: 1.3 },
	{ keys: 100_000, mostRatio: 1.3 },
	{ keys: 1_000_000, mostRatio: 2 },
];

/**
 * What Send Once costs, and how that grows with the keys that are known. All keys are new ones, as those of
 * new leads are.
 */
export async function measureOnce({
	rounds,
	signal,
	progress,
}: CaseContext): Promise<Partial<Findings>> {
	return await withRig({ messages: 0, signal }, async (rig) => {
		await rig.standIn.configure({ latencyMs: LATENCY_MS });
		const sendOnce = () => invokeByNode(rig, { paced: false, once: 'phone' });
		const contenders = [
			NOTHING,
			invokeByNode(rig, { paced: false }),
			sendOnce(),
			// Its key is one expression more for each item.
			invokeByNode(rig, { paced: false, once: 'key' }),
			...KNOWN.map(({ keys }) => ({ ...sendOnce(), known: keys })),
		];
		const what = `${ITEMS.toLocaleString('en')} webhooks, ${LATENCY_MS} ms latency`;
		const runs = await invokers(rig, contenders, ITEMS);
		const [nothing = [], off = [], once = [], byKey = [], ...besides] = await interleave(
			runs,
			rounds,
			(round) => progress(`Send Once, ${what}: ${round}`),
		);
		const { time, cpu } = costsPerItem(ITEMS, nothing);
		const overheads: Overhead[] = [
			...[
				{ name: 'Once per Phone Number', samples: once },
				{ name: 'Once per Key', samples: byKey },
			].flatMap(({ name, samples }) => [
				overhead(`${name}, ${what}: time per item`, time(off), time(samples), MOST_TIME_RATIO),
				overhead(`${name}, ${what}: CPU per item`, cpu(off), cpu(samples), MOST_CPU_RATIO),
			]),
			...KNOWN.flatMap(({ keys, mostRatio }, index) => {
				const beside = besides[index] ?? [];
				const known = `${keys.toLocaleString('en')} known keys instead of none`;
				return [
					overhead(`${known}: time per item`, time(once), time(beside), mostRatio),
					overhead(`${known}: CPU per item`, cpu(once), cpu(beside), mostRatio),
				];
			}),
		];
		const memory = [
			{ keys: 0, samples: once },
			...KNOWN.map(({ keys }, index) => ({ keys, samples: besides[index] ?? [] })),
		].map(({ keys, samples }) => ({
			keys,
			time: figureOf(time(samples)),
			cpu: figureOf(cpu(samples)),
		}));
		return { overheads, memory };
	});
}

function overhead(what: string, without: number[], withIt: number[], mostRatio: number): Overhead {
	const ratio = medianRatio(withIt, without);
	const figures = { without: figureOf(without), with: figureOf(withIt) };
	return { what, ...figures, ratio, ...atMost(ratio, mostRatio) };
}
