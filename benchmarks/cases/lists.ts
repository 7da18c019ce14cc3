import type { Contender, Contest } from '../contest.ts';
import { listByHttpRequest, listByNode } from '../nodes.ts';
import { deploy, type NodesOf } from '../workflow.ts';

/** How many messages there are, and how many milliseconds each answer takes. For the peak of its memory, n8n is fresh. */
const LISTS = [
	{ size: 2_000, latencyMs: 50, fresh: false },
	{ size: 10_000, latencyMs: 50, fresh: false },
	{ size: 100_000, latencyMs: 0, fresh: true },
];

/** All messages of a service. */
export function listContests(scaled: (size: number) => number): Contest[] {
	return LISTS.map(({ size, latencyMs, fresh }) => ({
		work: `A list of ${scaled(size)} at ${latencyMs} ms`,
		settings: { messages: scaled(size), latencyMs },
		contenders: [
			lister('HTTP Request', scaled(size), listByHttpRequest, fresh),
			lister('Messaging Service', scaled(size), listByNode, fresh),
		],
		fresh,
	}));
}

function lister(name: string, messages: number, nodesOf: NodesOf, withMemory: boolean): Contender {
	return {
		name,
		async prepare(rig) {
			const run = await deploy(rig, nodesOf);
			return async () => {
				const { ms, items, error } = await run();
				if (items !== messages) {
					throw new Error(`${name} gave ${items} of ${messages} messages: ${error?.message}`);
				}
				return { ms, ...(withMemory && { 'MB at most': await rig.peakMb() }) };
			};
		},
	};
}
