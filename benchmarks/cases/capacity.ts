import { invokeByHttpRequest, invokeByNode } from '../contenders.ts';
import type { Delivery, Findings } from '../results.ts';
import { withRig, type Rig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';
import { deliver } from './deliver.ts';

const ITEMS = 1_000;
const CAPACITY = 20;
const LATENCY_MS = 200;
const LEAST_SECONDS = ((ITEMS / CAPACITY) * LATENCY_MS) / 1_000;
const MOST_FAILED = 0.02;

const onError = 'continueRegularOutput';

/** Invokes more webhooks than the service handles at a time: it refuses the others with 503. */
export async function measureCapacity({
	signal,
	progress,
}: CaseContext): Promise<Partial<Findings>> {
	const contenders = [
		(rig: Rig) => invokeByNode(rig, { paced: false, settings: { onError } }),
		(rig: Rig) =>
			invokeByHttpRequest(rig, {
				name: 'HTTP Request, On Error: Continue',
				settings: { onError },
			}),
	];
	const deliveries = await withRig({ messages: 0, signal }, async (rig) => {
		await rig.standIn.configure({ latencyMs: LATENCY_MS, capacity: CAPACITY });
		const all: Delivery[] = [];
		for (const contenderFor of contenders) {
			await rig.standIn.forgetRequests();
			const contender = contenderFor(rig);
			progress(`${ITEMS.toLocaleString('en')} webhooks, ${CAPACITY} at a time: ${contender.name}`);
			all.push(
				await deliver(rig, contender, {
					limit: `${CAPACITY} at a time, ${LATENCY_MS} ms latency`,
					items: ITEMS,
					leastSeconds: LEAST_SECONDS,
					progress,
					target: ({ lost, doubled, failed }) => ({
						words: `none twice, at most ${MOST_FAILED * 100} % fail, and say so`,
						met: doubled === 0 && lost === failed && lost <= MOST_FAILED * ITEMS,
					}),
				}),
			);
		}
		return all;
	});
	return { deliveries };
}
