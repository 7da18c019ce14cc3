import { compare, type Row } from '../comparison.ts';
import { callByNode } from '../contenders.ts';
import { withRig } from '../rig/rig.ts';
import { costsOfCalls, type Costs } from './calls.ts';
import type { CaseContext } from './context.ts';

const CALLS = 1_000;
const LATENCY_MS = 50;

/** How many keys the node knows already, and how much more new ones may cost beside them than beside none. */
const KNOWN = [
	{ keys: 100_000, most: 1.3 },
	{ keys: 1_000_000, most: 2 },
];

/**
 * What Send Once costs, and how that grows with the keys that are known. All keys are new ones, as those of
 * new leads are.
 */
export async function measureOnce(context: CaseContext): Promise<Row[]> {
	const calls = context.scaled(CALLS);
	const known = KNOWN.map(({ keys, most }) => ({ keys: context.scaled(keys), most }));
	return await withRig({ signal: context.signal }, async (rig) => {
		await rig.service.configure({ latencyMs: LATENCY_MS });
		const byPhone = callByNode(rig, { name: 'Once per Phone Number', sendOnce: 'phone' });
		const contenders = [
			callByNode(rig, { name: 'Send Once off' }),
			byPhone,
			// Its key is one expression more for each item.
			callByNode(rig, { name: 'Once per Key', sendOnce: 'key', onceKey: '={{ $json.leadId }}' }),
			...known.map(({ keys }) => ({ ...byPhone, name: `${keys} known keys`, known: keys })),
		];
		const work = `${calls} calls, ${LATENCY_MS} ms latency`;
		const [off, once, byKey, ...besides] = await costsOfCalls(
			rig,
			contenders,
			work,
			calls,
			context,
		);
		const rows = (subject: Costs, reference: Costs, mostTime: number, mostCpu: number) => [
			compare(work, 'ms per call', subject.time, reference.time, { atMost: mostTime }),
			compare(work, 'CPU ms per call', subject.cpu, reference.cpu, { atMost: mostCpu }),
		];
		return [
			...[once, byKey].flatMap((costs) => rows(costs, off, 1.05, 1.3)),
			...known.flatMap(({ most }, index) => rows(besides[index], once, most, most)),
		];
	});
}
