import { invokeByHttpRequest, invokeByNode } from '../contenders.ts';
import { interleave } from '../measure.ts';
import { type Findings, type GrowthPoint } from '../results.ts';
import { withRig } from '../rig/rig.ts';
import { figureOf } from '../statistics.ts';
import type { CaseContext } from './context.ts';
import { invokers } from './invoke.ts';

const SIZES = [100, 1_000, 10_000];
/** What takes ten times as long needs no more rounds than this. */
const MOST_ROUNDS = 3;

/** How the cost of webhook calls grows with their number. */
export async function measureGrowth({
	rounds,
	signal,
	progress,
}: CaseContext): Promise<Partial<Findings>> {
	return await withRig({ messages: 0, signal }, async (rig) => {
		const contenders = [
			invokeByNode(rig, { paced: false }),
			invokeByHttpRequest(rig, { name: 'HTTP Request' }),
		];
		const growth: GrowthPoint[] = [];
		for (const items of SIZES) {
			const runs = await invokers(rig, contenders, items);
			const results = await interleave(runs, Math.min(rounds, MOST_ROUNDS), (round) =>
				progress(`Invoke ${items.toLocaleString('en')} webhooks: ${round}`),
			);
			for (const [index, samples] of results.entries()) {
				growth.push({
					contender: contenders[index]?.name ?? '',
					items,
					milliseconds: figureOf(samples.map(({ nodeMs }) => nodeMs)),
					cpuMilliseconds: figureOf(samples.map(({ cpuMs }) => cpuMs)),
				});
			}
		}
		return { growth };
	});
}
