import {
	invokeByHttpRequest,
	invokeByNode,
	leads,
	type Contender,
	type InvokeSetting,
} from '../contenders.ts';
import { deploy, measure } from '../measure.ts';
import { type Delivery, type Findings } from '../results.ts';
import { withRig, type Rig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';

const ITEMS = 2_500;
const REQUESTS = 1_000;
const WINDOW_SECONDS = 60;
/** The last calls may be made when so many windows have passed. */
const LEAST_SECONDS = Math.floor((ITEMS - 1) / REQUESTS) * WINDOW_SECONDS;
const MOST_OF_LEAST = 1.05;

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
					return await deliver(rig, contender, window, progress);
				}),
			);
		}
	}
	return { deliveries };
}

async function deliver(
	rig: Rig,
	contender: Contender,
	window: (typeof WINDOWS)[number],
	progress: CaseContext['progress'],
): Promise<Delivery> {
	const deployed = await deploy(rig, contender, { takesItems: true, stores: true });
	const ticker = setInterval(() => void report(), 15_000);
	const report = async () => {
		const { accepted } = await rig.standIn.counts().catch(() => ({ accepted: '?' }));
		progress(`… ${accepted} accepted`);
	};
	try {
		const { wallMs } = await measure(rig, deployed, leads(ITEMS));
		const calls = await rig.standIn.accepted();
		const { byStatus } = await rig.standIn.counts();
		const different = new Set(calls.map(({ body }) => body.lead)).size;
		const seconds = wallMs / 1_000;
		const lost = ITEMS - different;
		const doubled = calls.length - different;
		const refused = byStatus['429'] ?? 0;
		const timeRatio = seconds / LEAST_SECONDS;
		const isOwn = contender.nodes.some(({ type }) => type.endsWith('.messagingService'));
		const target = {
			words: `all once, no 429, at most ${MOST_OF_LEAST} of the least time`,
			met: lost === 0 && doubled === 0 && refused === 0 && timeRatio <= MOST_OF_LEAST,
		};
		return {
			window,
			contender: contender.name,
			sent: ITEMS,
			accepted: calls.length,
			lost,
			doubled,
			refused,
			seconds,
			timeRatio,
			...(isOwn && { target }),
		};
	} finally {
		clearInterval(ticker);
	}
}
