import { invokeByHttpRequest, invokeByNode, type InvokeSetting } from '../contenders.ts';
import { type Delivery, type Findings } from '../results.ts';
import { withRig, type Rig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';
import { deliver } from './deliver.ts';

const ITEMS = 2_500;
const REQUESTS = 1_000;
const WINDOW_SECONDS = 60;
/** The last calls may be made when so many windows have passed. */
const LEAST_SECONDS = Math.floor((ITEMS - 1) / REQUESTS) * WINDOW_SECONDS;
const MOST_OF_LEAST = 1.02;

const WINDOWS = ['fixed', 'sliding'] as const;

const SETTINGS: InvokeSetting[] = [
	{
		name: 'HTTP Request, On Error: Continue',
		settings: { onError: 'continueRegularOutput' },
	},
	{
		name: 'HTTP Request, Retry On Fail (5 tries, 5 s)',
		settings: { retryOnFail: true, maxTries: 5, waitBetweenTries: 5_000 },
	},
	{
		name: 'HTTP Request, batches of 50, 3 s apart',
		batching: { batchSize: 50, batchInterval: 3_000 },
		settings: { onError: 'continueRegularOutput' },
	},
];

/** Invokes more webhooks than the service takes at once. One run each: it takes minutes. */
export async function measureLimit({ signal, progress }: CaseContext): Promise<Partial<Findings>> {
	const deliveries: Delivery[] = [];
	for (const window of WINDOWS) {
		const contenders = [
			(rig: Rig) => invokeByNode(rig, { paced: true }),
			...SETTINGS.map((setting) => (rig: Rig) => invokeByHttpRequest(rig, setting)),
		];
		for (const contenderFor of contenders) {
			// Neither the stand-in nor the node shall remember what came before.
			deliveries.push(
				await withRig({ messages: 0, signal }, async (rig) => {
					await rig.standIn.configure({ rateLimit: { enabled: true, window } });
					const contender = contenderFor(rig);
					progress(`${ITEMS.toLocaleString('en')} webhooks, ${window} window: ${contender.name}`);
					return await deliver(rig, contender, {
						limit: `${REQUESTS.toLocaleString('en')} in 60 s, ${window} window`,
						items: ITEMS,
						leastSeconds: LEAST_SECONDS,
						progress,
						target: ({ lost, doubled, refused, timeRatio }) => ({
							words: `all once, none refused, at most ${MOST_OF_LEAST} of the least time`,
							met: lost === 0 && doubled === 0 && refused === 0 && timeRatio <= MOST_OF_LEAST,
						}),
					});
				}),
			);
		}
	}
	return { deliveries };
}
