import { listByHttpRequest, listByNode } from '../contenders.ts';
import { deploy, interleave, measure } from '../measure.ts';
import { compare, findings, type Comparison, type Findings } from '../results.ts';
import { withRig } from '../rig/rig.ts';
import { figureOf } from '../statistics.ts';
import type { CaseContext } from './context.ts';

const SIZES = [2_000, 10_000];
const LATENCY_MS = 50;
const TARGET = { ratio: 1 / 5, words: 'at most 0.20 (5 times faster)' };

/** Lists all messages of a service that takes its time for every answer. */
export async function measureLists(context: CaseContext): Promise<Findings> {
	const comparisons: Comparison[] = [];
	for (const messages of SIZES) comparisons.push(await measureList(messages, context));
	return findings({ comparisons });
}

async function measureList(
	messages: number,
	{ rounds, signal, progress }: CaseContext,
): Promise<Comparison> {
	const what = `List ${messages.toLocaleString('en')} messages, ${LATENCY_MS} ms latency`;
	return await withRig({ messages, signal }, async (rig) => {
		await rig.standIn.configure({ latencyMs: LATENCY_MS });
		const options = { takesItems: false, stores: true };
		const run = async (contender: ReturnType<typeof listByNode>) => {
			const deployed = await deploy(rig, contender, options);
			return async () => {
				const { nodeMs, items, error = '' } = await measure(rig, deployed);
				if (items === messages) return nodeMs;
				throw new Error(`${contender.name} gave ${items} of ${messages} messages. ${error}`);
			};
		};
		const [node = [], httpRequest = []] = await interleave(
			[await run(listByNode(rig)), await run(listByHttpRequest(rig))],
			rounds,
			(round) => progress(`${what}: ${round}`),
		);
		return compare(
			{
				case: 'list',
				what,
				unit: 'ms',
				node: figureOf(node),
				httpRequest: figureOf(httpRequest),
				setting: 'its own pagination',
			},
			TARGET,
		);
	});
}
