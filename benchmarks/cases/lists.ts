import type { Contender, Contest } from '../contest.ts';
import { listByHttpRequest, listByNode } from '../nodes.ts';
import { deploy, type NodesOf } from '../workflow.ts';

/** How many messages there are, and how many milliseconds each answer takes. */
const LISTS = [
	{ size: 2_000, latencyMs: 50 },
	{ size: 10_000, latencyMs: 50 },
	{ size: 100_000, latencyMs: 0 },
];

/** All messages of a service, and how much memory n8n holds at its peak. Each run has an n8n of its own for that. */
export function listContests(scaled: (size: number) => number): Contest[] {
	return LISTS.map(({ size, latencyMs }) => ({
		work: `A list of ${scaled(size)} at ${latencyMs} ms`,
		settings: { messages: scaled(size), latencyMs },
		contenders: [
			lister('HTTP Request', scaled(size), listByHttpRequest),
			lister('Messaging Service', scaled(size), listByNode),
		],
		fresh: true,
	}));
}

function lister(name: string, messages: number, nodesOf: NodesOf): Contender {
	return {
		name,
		async prepare(rig) {
			const run = await deploy(rig, nodesOf);
			return async () => {
				const { ms, items, error } = await run();
				if (items === messages) return { ms, 'MB at most': await rig.peakMb() };
				throw new Error(`${name} gave ${items} of ${messages} messages: ${error?.message}`);
			};
		},
	};
}
