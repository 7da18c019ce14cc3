import { rounded, type Row } from '../comparison.ts';
import { callByHttpRequest, callByNode, leads, type Contender } from '../contenders.ts';
import { deploy, measure } from '../measure.ts';
import { withRig, type Rig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';

const CALLS = 2_500;
const LIMIT = 1_000;
const WINDOW_SECONDS = 60;
const PROGRESS_MS = 15_000;

const onError = 'continueRegularOutput';

/**
 * Makes more calls than the service takes within a minute, and counts what became of them. The window slides, which is the
 * stricter way to count. One run each: it takes minutes.
 */
export async function measureLimit(context: CaseContext): Promise<Row[]> {
	const limit = context.scaled(LIMIT);
	const contenders = [
		(rig: Rig) => callByNode(rig, {}, limit),
		(rig: Rig) => callByHttpRequest(rig, { name: 'HTTP Request, On Error: Continue', onError }),
		(rig: Rig) =>
			callByHttpRequest(rig, {
				name: 'HTTP Request, Retry On Fail (5 tries, 5 s)',
				...{ retryOnFail: true, maxTries: 5, waitBetweenTries: 5_000 },
			}),
		(rig: Rig) =>
			callByHttpRequest(
				rig,
				{ name: 'HTTP Request, batches 3 s apart', onError },
				{ batchSize: Math.ceil(limit / 20), batchInterval: 3_000 },
			),
	];
	const rows: Row[] = [];
	for (const contenderFor of contenders) {
		// Neither the stand-in nor the node shall remember what came before.
		rows.push(
			await withRig({ signal: context.signal }, async (rig) => {
				const rateLimit = { enabled: true, requests: limit };
				await rig.service.configure({ rateLimit });
				return await deliver(rig, contenderFor(rig), limit, context);
			}),
		);
	}
	return rows;
}

async function deliver(
	rig: Rig,
	contender: Contender,
	limit: number,
	{ scaled, progress }: CaseContext,
): Promise<Row> {
	const calls = scaled(CALLS);
	/** The last calls may be made when so many windows have passed. */
	const leastSeconds = Math.floor((calls - 1) / limit) * WINDOW_SECONDS;
	const deployed = await deploy(rig, contender);
	const tell = () => progress(`${contender.name}: ${rig.service.counts().accepted} accepted`);
	tell();
	const ticker = setInterval(tell, PROGRESS_MS);
	try {
		const { wallMs } = await measure(rig, deployed, leads(calls));
		const accepted = rig.service.accepted();
		const different = new Set(accepted.map(({ body }) => body.lead)).size;
		const ofLeast = wallMs / 1_000 / leastSeconds;
		progress(`${contender.name}: ${rounded(ofLeast)} of the least time`);
		return {
			node: contender.name,
			calls,
			accepted: accepted.length,
			lost: calls - different,
			doubled: accepted.length - different,
			refused: rig.service.counts().byStatus['429'] ?? 0,
			seconds: rounded(wallMs / 1_000),
			'of the least': rounded(ofLeast),
		};
	} finally {
		clearInterval(ticker);
	}
}
