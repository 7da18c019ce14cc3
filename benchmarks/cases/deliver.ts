import { leads, type Contender } from '../contenders.ts';
import { deploy, measure } from '../measure.ts';
import type { Delivery, Target } from '../results.ts';
import type { Rig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';

type Outcome = Omit<Delivery, 'target'> & {
	/** Items that came out and say that they failed. */
	failed: number;
};

interface Order {
	/** What the service takes. */
	limit: string;
	items: number;
	/** What it takes at least to deliver them all. */
	leastSeconds: number;
	/** What this node has to reach. */
	target(outcome: Outcome): Target;
	progress: CaseContext['progress'];
}

/** Invokes a webhook for each item once, and counts what became of the calls at the service. */
export async function deliver(
	rig: Rig,
	contender: Contender,
	{ limit, items, leastSeconds, target, progress }: Order,
): Promise<Delivery> {
	const deployed = await deploy(rig, contender, { takesItems: true, stores: true });
	const ticker = setInterval(() => void report(), 15_000);
	const report = async () => {
		const { accepted } = await rig.standIn.counts().catch(() => ({ accepted: '?' }));
		progress(`… ${accepted} accepted`);
	};
	try {
		const { wallMs, failed } = await measure(rig, deployed, leads(items));
		const calls = await rig.standIn.accepted();
		const { byStatus } = await rig.standIn.counts();
		const different = new Set(calls.map(({ body }) => body.lead)).size;
		const seconds = wallMs / 1_000;
		const delivery = {
			limit,
			contender: contender.name,
			sent: items,
			accepted: calls.length,
			lost: items - different,
			doubled: calls.length - different,
			refused: (byStatus['429'] ?? 0) + (byStatus['503'] ?? 0),
			seconds,
			timeRatio: seconds / leastSeconds,
		};
		const isOwn = contender.nodes.some(({ type }) => type.endsWith('.messagingService'));
		return { ...delivery, ...(isOwn && { target: target({ ...delivery, failed }) }) };
	} finally {
		clearInterval(ticker);
	}
}
