import {
	invokeByHttpRequest,
	invokeByNode,
	leads,
	NOTHING,
	type Contender,
	type InvokeSetting,
} from '../contenders.ts';
import { deploy, interleave, measure, type Sample } from '../measure.ts';
import { compare, findings, type Findings } from '../results.ts';
import { withRig, type Rig } from '../rig/rig.ts';
import { figureOf, median } from '../statistics.ts';
import type { CaseContext } from './context.ts';

const ITEMS = 1_000;
const TIME_TARGET = { ratio: 0.7, words: 'at most 0.70' };
const CPU_TARGET = { ratio: 1, words: 'at most 1.00' };

/** The first is what the node does by itself; the second keeps fewer requests open at once. */
const SETTINGS: InvokeSetting[] = [
	{ name: 'all at once (default)' },
	{ name: 'batches of 50, 1 ms apart', batching: { batchSize: 50, batchInterval: 1 } },
	{ name: 'batches of 50, 1 s apart', batching: { batchSize: 50, batchInterval: 1_000 } },
];

/** Prepares a contender that invokes a webhook for each item and must not lose one. */
export async function invoker(
	rig: Rig,
	contender: Contender,
	items: number,
): Promise<() => Promise<Sample>> {
	const deployed = await deploy(rig, contender, { takesItems: true, stores: true });
	const input = leads(items);
	const expected = contender === NOTHING ? 0 : items;
	return async () => {
		await rig.standIn.forgetRequests();
		const sample = await measure(rig, deployed, input);
		const { accepted } = await rig.standIn.counts();
		if (accepted === expected) return sample;
		throw new Error(
			`${contender.name} made ${accepted} of ${expected} calls. ${sample.error ?? ''}`,
		);
	};
}

/** Invokes webhooks as fast as the node can. */
export async function measureInvocations({
	rounds,
	signal,
	progress,
}: CaseContext): Promise<Findings> {
	const what = `Invoke ${ITEMS.toLocaleString('en')} webhooks, no limit`;
	return await withRig({ messages: 0, signal }, async (rig) => {
		const contenders = [
			NOTHING,
			invokeByNode(rig, { paced: false }),
			...SETTINGS.map((setting) => invokeByHttpRequest(rig, setting)),
		];
		const runs: Array<() => Promise<Sample>> = [];
		for (const contender of contenders) runs.push(await invoker(rig, contender, ITEMS));
		const [nothing = [], node = [], ...others] = await interleave(runs, rounds, (round) =>
			progress(`${what}: ${round}`),
		);
		const idle = median(nothing.map(({ cpuMs }) => cpuMs));
		const time = (samples: Sample[]) => figureOf(samples.map(({ nodeMs }) => nodeMs / ITEMS));
		const cpu = (samples: Sample[]) => figureOf(samples.map(({ cpuMs }) => (cpuMs - idle) / ITEMS));
		const fastest = Math.min(...others.map((samples) => time(samples).median));
		const comparisons = others.flatMap((samples, index) => {
			const isFastest = time(samples).median === fastest;
			const parts = { case: 'invoke', unit: 'ms', setting: SETTINGS[index]?.name } as const;
			return [
				compare(
					{
						...parts,
						what: `${what}: time per item`,
						node: time(node),
						httpRequest: time(samples),
					},
					isFastest ? TIME_TARGET : undefined,
				),
				compare(
					{
						...parts,
						what: `${what}: CPU per item`,
						node: cpu(node),
						httpRequest: cpu(samples),
					},
					isFastest ? CPU_TARGET : undefined,
				),
			];
		});
		return findings({ comparisons });
	});
}
