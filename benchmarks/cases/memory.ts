import { listByHttpRequest, listByNode } from '../contenders.ts';
import { deploy, interleave, measure } from '../measure.ts';
import { compare, type Findings } from '../results.ts';
import { forgetPeakMemory, memoryNow, peakMemory } from '../rig/procfs.ts';
import { withRig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';

const MESSAGES = 50_000;
const PAGES = MESSAGES / 50;
const LIST = `List ${MESSAGES.toLocaleString('en')} messages`;
const BYTES_PER_MB = 1024 * 1024;
/** Each run has an n8n of its own, so it needs no more rounds than this. */
const MOST_ROUNDS = 3;
const MOST_RATIO = 1;

/** The memory that n8n takes at most while it lists many messages, in an n8n of its own each time. */
export async function measureMemory({
	rounds,
	signal,
	progress,
}: CaseContext): Promise<Partial<Findings>> {
	const what = `${LIST}: peak memory of n8n`;
	const run = (contenderFor: typeof listByNode) => async () =>
		await withRig({ messages: MESSAGES, signal }, async (rig) => {
			// Storing the execution takes memory too, but that is n8n's part.
			const options = { takesItems: false, stores: false };
			const deployed = await deploy(rig, contenderFor(rig), options);
			await forgetPeakMemory(rig.pid);
			const before = await memoryNow(rig.pid);
			const { error } = await measure(rig, deployed, [], options);
			if (error !== undefined) throw new Error(error);
			const { requests } = await rig.standIn.counts();
			if (requests < PAGES) throw new Error(`Only ${requests} of ${PAGES} pages were read.`);
			const peak = await peakMemory(rig.pid);
			return { peak: peak / BYTES_PER_MB, growth: (peak - before) / BYTES_PER_MB };
		});
	const [node = [], httpRequest = []] = await interleave(
		[run(listByNode), run(listByHttpRequest)],
		Math.min(rounds, MOST_ROUNDS),
		(round) => progress(`${what}: ${round}`),
	);
	const parts = { case: 'memory', unit: 'MB', setting: 'its own pagination' } as const;
	const peaks = (samples: typeof node) => samples.map(({ peak }) => peak);
	const growths = (samples: typeof node) => samples.map(({ growth }) => growth);
	const gained = `${LIST}: memory gained`;
	return {
		comparisons: [
			compare({ ...parts, what }, [peaks(node), peaks(httpRequest)], MOST_RATIO),
			compare({ ...parts, what: gained }, [growths(node), growths(httpRequest)]),
		],
	};
}
