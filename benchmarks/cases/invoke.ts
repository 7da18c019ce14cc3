import {
	invokeByHttpRequest,
	invokeByNode,
	leads,
	NOTHING,
	type Contender,
	type InvokeSetting,
} from '../contenders.ts';
import { deploy, interleave, measure, type Sample } from '../measure.ts';
import { compare, type Comparison, type Findings } from '../results.ts';
import { withRig, type Rig } from '../rig/rig.ts';
import { median } from '../statistics.ts';
import type { CaseContext } from './context.ts';

const ITEMS = 1_000;
const MOST_CPU_RATIO = 0.6;

/** How long the service takes to answer, and how much of the other's time the node may take then. */
const LATENCIES = [
	{ latencyMs: 0, mostTimeRatio: 0.6 },
	{ latencyMs: 50, mostTimeRatio: 0.7 },
	{ latencyMs: 200, mostTimeRatio: 0.95 },
	// Its caution costs round trips.
	{ latencyMs: 1_000, mostTimeRatio: 2.5 },
];

/** What the node does by itself is the fastest of its settings, as soon as there is any latency. */
const DEFAULT: InvokeSetting = { name: 'all at once (default)' };
const BATCHES: InvokeSetting = {
	name: 'batches of 50, 1 ms apart',
	batching: { batchSize: 50, batchInterval: 1 },
};

/** Prepares contenders that invoke a webhook for each item and must not lose one. */
export async function invokers(
	rig: Rig,
	contenders: readonly Contender[],
	items: number,
): Promise<Array<() => Promise<Sample>>> {
	const runs: Array<() => Promise<Sample>> = [];
	for (const contender of contenders) {
		const deployed = await deploy(rig, contender, { takesItems: true, stores: true });
		const { known } = contender;
		const node = deployed.workflow.nodes.find(({ name }) => name === contender.nodes[0]?.name);
		if (known !== undefined && node) rig.remember(deployed.workflow.id, node.id, known);
		const expected = contender === NOTHING ? 0 : items;
		runs.push(async () => {
			await rig.standIn.forgetRequests();
			const sample = await measure(rig, deployed, leads(items));
			const { accepted } = await rig.standIn.counts();
			if (accepted === expected) return sample;
			throw new Error(
				`${contender.name} made ${accepted} of ${expected} calls. ${sample.error ?? ''}`,
			);
		});
	}
	return runs;
}

/** Time and processor time per item, less what a run takes that does nothing. */
export function costsPerItem(items: number, nothing: Sample[]) {
	const idle = median(nothing.map(({ cpuMs }) => cpuMs));
	return {
		time: (samples: Sample[]) => samples.map(({ nodeMs }) => nodeMs / items),
		cpu: (samples: Sample[]) => samples.map(({ cpuMs }) => (cpuMs - idle) / items),
	};
}

/** Invokes webhooks as fast as the node can, on a near service and on far ones. */
export async function measureInvocations(context: CaseContext): Promise<Partial<Findings>> {
	return await withRig({ messages: 0, signal: context.signal }, async (rig) => {
		const comparisons: Comparison[] = [];
		for (const latency of LATENCIES) {
			comparisons.push(...(await measureAt(latency, rig, context)));
		}
		return { comparisons };
	});
}

async function measureAt(
	{ latencyMs, mostTimeRatio }: (typeof LATENCIES)[number],
	rig: Rig,
	{ rounds, progress }: CaseContext,
): Promise<Comparison[]> {
	const what = `Invoke ${ITEMS.toLocaleString('en')} webhooks, ${latencyMs} ms latency, no limit`;
	await rig.standIn.configure({ latencyMs });
	const settings = latencyMs === 0 ? [DEFAULT, BATCHES] : [DEFAULT];
	const contenders = [
		NOTHING,
		invokeByNode(rig, { paced: false }),
		...settings.map((setting) => invokeByHttpRequest(rig, setting)),
	];
	const runs = await invokers(rig, contenders, ITEMS);
	const [nothing = [], node = [], ...others] = await interleave(runs, rounds, (round) =>
		progress(`${what}: ${round}`),
	);
	const { time, cpu } = costsPerItem(ITEMS, nothing);
	const fastest = Math.min(...others.map((samples) => median(time(samples))));
	return others.flatMap((samples, index) => {
		const isFastest = median(time(samples)) === fastest;
		const parts = { case: 'invoke', unit: 'ms', setting: settings[index]?.name } as const;
		return [
			compare(
				{ ...parts, what: `${what}: time per item` },
				[time(node), time(samples)],
				isFastest ? mostTimeRatio : undefined,
			),
			compare(
				{ ...parts, what: `${what}: CPU per item` },
				[cpu(node), cpu(samples)],
				isFastest ? MOST_CPU_RATIO : undefined,
			),
		];
	});
}
