import {
	invokeByHttpRequest,
	invokeByNode,
	leads,
	NOTHING,
	type Contender,
	type InvokeSetting,
} from '../contenders.ts';
import { deploy, interleave, measure, type Sample } from '../measure.ts';
import { compare, type Findings } from '../results.ts';
import { withRig, type Rig } from '../rig/rig.ts';
import { median } from '../statistics.ts';
import type { CaseContext } from './context.ts';

const ITEMS = 1_000;
const MOST_TIME_RATIO = 0.7;
const MOST_CPU_RATIO = 1;

/** The first is what the node does by itself; the second keeps fewer requests open at once. */
const SETTINGS: InvokeSetting[] = [
	{ name: 'all at once (default)' },
	{ name: 'batches of 50, 1 ms apart', batching: { batchSize: 50, batchInterval: 1 } },
	{ name: 'batches of 50, 1 s apart', batching: { batchSize: 50, batchInterval: 1_000 } },
];

/** Prepares contenders that invoke a webhook for each item and must not lose one. */
export async function invokers(
	rig: Rig,
	contenders: readonly Contender[],
	items: number,
): Promise<Array<() => Promise<Sample>>> {
	const input = leads(items);
	const runs: Array<() => Promise<Sample>> = [];
	for (const contender of contenders) {
		const deployed = await deploy(rig, contender, { takesItems: true, stores: true });
		const { known } = contender;
		const node = deployed.workflow.nodes.find(({ name }) => name === contender.nodes[0]?.name);
		if (known !== undefined && node) rig.remember(deployed.workflow.id, node.id, known);
		const expected = contender === NOTHING ? 0 : items;
		runs.push(async () => {
			await rig.standIn.forgetRequests();
			const sample = await measure(rig, deployed, input);
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

/** Invokes webhooks as fast as the node can. */
export async function measureInvocations({
	rounds,
	signal,
	progress,
}: CaseContext): Promise<Partial<Findings>> {
	const what = `Invoke ${ITEMS.toLocaleString('en')} webhooks, no limit`;
	return await withRig({ messages: 0, signal }, async (rig) => {
		const contenders = [
			NOTHING,
			invokeByNode(rig, { paced: false }),
			...SETTINGS.map((setting) => invokeByHttpRequest(rig, setting)),
		];
		const runs = await invokers(rig, contenders, ITEMS);
		const [nothing = [], node = [], ...others] = await interleave(runs, rounds, (round) =>
			progress(`${what}: ${round}`),
		);
		const { time, cpu } = costsPerItem(ITEMS, nothing);
		const fastest = Math.min(...others.map((samples) => median(time(samples))));
		const comparisons = others.flatMap((samples, index) => {
			const isFastest = median(time(samples)) === fastest;
			const parts = { case: 'invoke', unit: 'ms', setting: SETTINGS[index]?.name } as const;
			return [
				compare(
					{ ...parts, what: `${what}: time per item` },
					[time(node), time(samples)],
					isFastest ? MOST_TIME_RATIO : undefined,
				),
				compare(
					{ ...parts, what: `${what}: CPU per item` },
					[cpu(node), cpu(samples)],
					isFastest ? MOST_CPU_RATIO : undefined,
				),
			];
		});
		return { comparisons };
	});
}
