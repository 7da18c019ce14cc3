import type { Contender, Contest } from '../contest.ts';
import { callByHttpRequest, callByNode, leads, type Values } from '../nodes.ts';
import { deploy, type NodesOf } from '../workflow.ts';

const VALUES: Values[] = ['expressions', 'the item as it is'];
/** How many milliseconds the service takes to answer. */
const LATENCIES = [0, 50, 200, 1_000];

/** Webhook calls as fast as the node can make them, to a near service and to far ones. */
export function callContests(scaled: (size: number) => number): Contest[] {
	const calls = scaled(1_000);
	return VALUES.map((values) => ({
		work: `${calls} calls, ${values}: ms per call by latency`,
		contenders: [
			caller('HTTP Request', calls, async (rig) => [await callByHttpRequest(rig, values)]),
			caller('Messaging Service', calls, (rig) => callByNode(rig, values)),
		],
	}));
}

/** What it costs to remember keys. All keys are new ones, as those of new leads are. */
export function onceContests(scaled: (size: number) => number): Contest[] {
	const calls = scaled(1_000);
	const once: NodesOf = (rig) => callByNode(rig, 'expressions', { sendOnce: 'phone' });
	return [
		{
			work: `${calls} calls, expressions, Send Once: ms per call by latency`,
			contenders: [
				caller('off', calls, (rig) => callByNode(rig, 'expressions'), [50]),
				...[0, scaled(100_000), scaled(1_000_000)].map((known) =>
					caller(`beside ${known} keys`, calls, once, [50], known),
				),
			],
			// At first, the node does not know yet how slow n8n's store is.
			fresh: true,
			mostRounds: 3,
		},
		{
			work: 'A single text, expressions, Send Once: ms by latency',
			contenders: [caller('on', 1, once, [50])],
		},
	];
}

/** Nodes that call a webhook once for each of so many leads; throws if they miss one. */
function caller(
	name: string,
	calls: number,
	nodesOf: NodesOf,
	latencies = LATENCIES,
	known = 0,
): Contender {
	return {
		name,
		async prepare(rig) {
			const run = await deploy(rig, nodesOf, known);
			return async () => {
				const figures: Record<string, number> = {};
				const cpuBefore = await rig.cpuMs();
				for (const latencyMs of latencies) {
					rig.service.configure({ latencyMs });
					rig.service.reset('log');
					const { ms, error } = await run(leads(calls));
					const { accepted } = rig.service.counts();
					if (accepted < calls) throw new Error(`${accepted} of ${calls} calls: ${error?.message}`);
					figures[`${latencyMs} ms`] = ms / calls;
				}
				figures.CPU = ((await rig.cpuMs()) - cpuBefore) / calls / latencies.length;
				return figures;
			};
		},
	};
}
