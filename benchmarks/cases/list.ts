import { listByHttpRequest, listByNode, type Contender } from '../contenders.ts';
import { deploy, interleave, measure } from '../measure.ts';
import { compare, type Comparison, type Findings } from '../results.ts';
import { withRig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';

/** How many messages there are, and how much of the other's time the node may take. */
const SIZES = [
	{ messages: 2_000, mostRatio: 0.2 },
	{ messages: 10_000, mostRatio: 0.07 },
];
const LATENCY_MS = 50;

/** Lists all messages of a service that takes its time for every answer. */
export async function measureLists(context: CaseContext): Promise<Partial<Findings>> {
	const comparisons: Comparison[] = [];
	for (const size of SIZES) comparisons.push(await measureList(size, context));
	return { comparisons };
}

async function measureList(
	{ messages, mostRatio }: (typeof SIZES)[number],
	{ rounds, signal, progress }: CaseContext,
): Promise<Comparison> {
	const what = `List ${messages.toLocaleString('en')} messages, ${LATENCY_MS} ms latency`;
	return await withRig({ messages, signal }, async (rig) => {
		await rig.standIn.configure({ latencyMs: LATENCY_MS });
		const prepare = async (contender: Contender) => {
			const deployed = await deploy(rig, contender, { takesItems: false, stores: true });
			return async () => {
				const { nodeMs, items, error = '' } = await measure(rig, deployed);
				if (items === messages) return nodeMs;
				throw new Error(`${contender.name} gave ${items} of ${messages} messages. ${error}`);
			};
		};
		const [node = [], httpRequest = []] = await interleave(
			[await prepare(listByNode(rig)), await prepare(listByHttpRequest(rig))],
			rounds,
			(round) => progress(`${what}: ${round}`),
		);
		const parts = { case: 'list', what, unit: 'ms', setting: 'its own pagination' } as const;
		return compare(parts, [node, httpRequest], mostRatio);
	});
}
