import { compare, type Row } from '../comparison.ts';
import { listByHttpRequest, listByNode, type Contender } from '../contenders.ts';
import { deploy, interleave, measure } from '../measure.ts';
import { withRig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';

/** How many messages there are. */
const SIZES = [2_000, 10_000];
const LATENCY_MS = 50;

/** Lists all messages of a service that takes its time for every answer. */
export async function measureLists(context: CaseContext): Promise<Row[]> {
	const rows: Row[] = [];
	for (const messages of SIZES) rows.push(await measureList(context.scaled(messages), context));
	return rows;
}

async function measureList(
	messages: number,
	{ rounds, signal, progress }: CaseContext,
): Promise<Row> {
	const work = `${messages} messages, ${LATENCY_MS} ms latency`;
	return await withRig({ messages, signal }, async (rig) => {
		await rig.service.configure({ latencyMs: LATENCY_MS });
		const prepare = async (contender: Contender) => {
			const deployed = await deploy(rig, contender);
			return async () => {
				const { nodeMs, items, error = '' } = await measure(rig, deployed);
				if (items === messages) return nodeMs;
				throw new Error(`${contender.name} gave ${items} of ${messages} messages. ${error}`);
			};
		};
		const contenders = [listByNode(rig), listByHttpRequest(rig)];
		const runs = await Promise.all(contenders.map(prepare));
		const samples = await interleave(runs, rounds, (round) => progress(`${work}: ${round}`));
		const [node, httpRequest] = contenders.map(({ name }, index) => ({
			name,
			rounds: samples[index],
		}));
		return compare(work, 'ms', node, httpRequest);
	});
}
