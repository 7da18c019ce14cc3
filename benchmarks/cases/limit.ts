import type { Contest } from '../contest.ts';
import { callByHttpRequest, callByNode, leads } from '../nodes.ts';
import { deploy, type NodesOf } from '../workflow.ts';

const WINDOW_SECONDS = 60;

/**
 * More calls than the service takes within a minute, and what becomes of them. The window slides, which is the stricter way
 * to count. One run each: it takes minutes.
 */
export function limitContests(scaled: (size: number) => number): Contest[] {
	const [calls, limit] = [scaled(2_500), scaled(1_000)];
	/** The last calls may be made when so many windows have passed. */
	const least = Math.floor((calls - 1) / limit) * WINDOW_SECONDS;
	const batch = { batchSize: Math.ceil(limit / 20), batchInterval: 3_000 };
	const onError = 'continueRegularOutput';
	const retry = { retryOnFail: true, maxTries: 5, waitBetweenTries: 5_000 };
	const ways: Record<string, NodesOf> = {
		'Messaging Service': (rig) => callByNode(rig, 'expressions', { requestsPerMinute: limit }),
		'HTTP Request, On Error: Continue': async (rig) => [
			{ ...(await callByHttpRequest(rig, 'expressions')), onError },
		],
		'HTTP Request, Retry On Fail (5 tries, 5 s)': async (rig) => [
			{ ...(await callByHttpRequest(rig, 'expressions')), ...retry },
		],
		'HTTP Request, batches 3 s apart': async (rig) => [
			{ ...(await callByHttpRequest(rig, 'expressions', { batching: { batch } })), onError },
		],
	};
	const contenders = Object.entries(ways).map(([name, nodesOf]) => ({
		name,
		async prepare(rig: Parameters<NodesOf>[0]) {
			const run = await deploy(rig, nodesOf);
			return async () => {
				const { ms } = await run(leads(calls));
				const accepted = rig.service.accepted();
				const different = new Set(accepted.map(({ body }) => body.lead)).size;
				return {
					lost: calls - different,
					'made twice': accepted.length - different,
					refused: rig.service.counts().byStatus['429'] ?? 0,
					seconds: ms / 1_000,
					'of the least': ms / 1_000 / least,
				};
			};
		},
	}));
	const settings = { rateLimit: { enabled: true, requests: limit } };
	const work = `${calls} calls, ${limit} a minute, expressions`;
	return [{ work, settings, contenders, fresh: true, mostRounds: 1 }];
}
