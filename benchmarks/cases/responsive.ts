import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { nodeOperations, operationIds } from '../../sandbox/operations.ts';
import {
	invokeByHttpRequest,
	invokeByNode,
	leads,
	operationByNode,
	SET,
	type Contender,
} from '../contenders.ts';
import { deploy, measure, type Sample } from '../measure.ts';
import { type Findings, type Responsiveness } from '../results.ts';
import { withRig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';

const SIZES = [1_000, 20_000];
const MOST_GAP_MS = 100;
const MOST_GROWTH = 1.2;

/** How long n8n's event loop is held up by runs of many items, and whether their cost per item grows. */
export async function measureResponsiveness({
	signal,
	progress,
}: CaseContext): Promise<Partial<Findings>> {
	const folder = await mkdtemp(join(tmpdir(), 'event-loop-'));
	const file = join(folder, 'gaps');
	const preload = pathToFileURL(join(import.meta.dirname, '..', 'rig', 'eventLoopGaps.ts')).href;
	const n8nSettings = { EVENT_LOOP_GAPS: file, NODE_OPTIONS: `--import ${preload}` };
	try {
		return await withRig({ messages: 50, n8nSettings, signal }, async (rig) => {
			const contenders: Contender[] = [
				SET,
				invokeByHttpRequest(rig, { name: 'HTTP Request' }),
				invokeByNode(rig, { paced: false }),
				...operationIds
					.filter((id) => id !== 'pipeline.invokeWebhook')
					.map((id) => operationByNode(rig, id, nodeOperations[id].perItem)),
			];
			const responsiveness: Responsiveness[] = [];
			let numbered = 0;
			for (const contender of contenders) {
				const deployed = await deploy(rig, contender, { takesItems: true, stores: true });
				const points: Responsiveness[] = [];
				for (const items of SIZES) {
					const sample = await measure(
						rig,
						deployed,
						leads(items).map((lead) => ({ ...lead, n: numbered++ })),
					);
					if (sample.error) throw new Error(`${contender.name} failed: ${sample.error}`);
					const perItemMs = sample.nodeMs / items;
					const longestGapMs = await longestGap(file, sample);
					points.push({ contender: contender.name, items, perItemMs, longestGapMs });
					progress(
						`${contender.name}, ${items.toLocaleString('en')} items: ${perItemMs.toFixed(2)} ms each, held up for ${longestGapMs} ms`,
					);
				}
				responsiveness.push(...(contender.isPeer ? points : judge(points)));
			}
			return { responsiveness };
		});
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Sets the targets of each size beside the smallest one. */
function judge(points: readonly Responsiveness[]): Responsiveness[] {
	const [smallest] = points;
	return points.map((point) => {
		const growth = point.perItemMs / (smallest?.perItemMs ?? point.perItemMs);
		return {
			...point,
			target: {
				words: `gap below ${MOST_GAP_MS} ms, per item at most ${MOST_GROWTH.toFixed(1)} times`,
				met: point.longestGapMs < MOST_GAP_MS && growth <= MOST_GROWTH,
			},
		};
	});
}

/** The longest time that the event loop was held up while the node ran, in milliseconds. */
async function longestGap(file: string, { nodeStartedAt, nodeMs }: Sample): Promise<number> {
	const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
	const gaps = lines.flatMap((line) => {
		const [at = 0, length = 0] = line.split(' ').map(Number);
		const end = Math.min(at + length, nodeStartedAt + nodeMs);
		const overlap = end - Math.max(at, nodeStartedAt);
		return overlap > 0 ? [overlap] : [];
	});
	return gaps.reduce((longest, gap) => Math.max(longest, gap), 0);
}
