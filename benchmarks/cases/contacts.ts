import { contacts, contactsByMerge, contactsByNode, type Contender } from '../contenders.ts';
import { deploy, interleave, measure } from '../measure.ts';
import { compare, type Findings } from '../results.ts';
import { withRig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';

const CONTACTS = 1_000;
const MESSAGES = 20_000;
const LATENCY_MS = 50;
/** How much of the other's time the node may take. */
const MOST_RATIO = 0.25;

/** Finds what each of many contacts has written. */
export async function measureContacts({
	rounds,
	signal,
	progress,
}: CaseContext): Promise<Partial<Findings>> {
	const what = `Find what ${CONTACTS.toLocaleString('en')} contacts wrote among ${MESSAGES.toLocaleString('en')} messages, ${LATENCY_MS} ms latency`;
	return await withRig({ messages: MESSAGES, signal }, async (rig) => {
		await rig.standIn.configure({ latencyMs: LATENCY_MS });
		const found = new Set<number>();
		const prepare = async (contender: Contender) => {
			const deployed = await deploy(rig, contender, { takesItems: true, stores: true });
			return async () => {
				const { nodeMs, items, error = '' } = await measure(rig, deployed, contacts(CONTACTS));
				found.add(items);
				// Both have to find the same, whatever that is.
				if (items > 0 && found.size === 1) return nodeMs;
				throw new Error(`${contender.name} found ${[...found].join(' or ')} messages. ${error}`);
			};
		};
		const [node = [], httpRequest = []] = await interleave(
			[await prepare(contactsByNode(rig)), await prepare(contactsByMerge(rig))],
			rounds,
			(round) => progress(`${what}: ${round}`),
		);
		const setting = 'all messages by its own pagination, Split Out and Merge';
		const parts = { case: 'contacts', what, unit: 'ms', setting } as const;
		return { comparisons: [compare(parts, [node, httpRequest], MOST_RATIO)] };
	});
}
