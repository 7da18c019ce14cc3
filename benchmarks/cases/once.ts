import { compare, median, rounded, type Row } from '../comparison.ts';
import { callByNode, leads, type Contender } from '../contenders.ts';
import { deploy, interleave, measure } from '../measure.ts';
import { withRig, type Rig } from '../rig/rig.ts';
import type { CaseContext } from './context.ts';

const CALLS = 1_000;
const LATENCY_MS = 50;
/** Each figure takes a start of n8n, so there need not be more rounds than this. */
const MOST_ROUNDS = 3;

/** How many keys the node knows already. */
const KNOWN = [100_000, 1_000_000];

const off = (rig: Rig) => callByNode(rig, { name: 'Send Once off' });
const onceBeside = (known: number) => (rig: Rig) => ({
	...callByNode(rig, { name: `beside ${known} keys`, sendOnce: 'phone' }),
	known,
});

/**
 * What Send Once costs, and how that grows with the keys that are known. All keys are new ones, as those of new leads are,
 * and each run is the first one after a start of n8n, which knows nothing yet of how slow its store is.
 */
export async function measureOnce(context: CaseContext): Promise<Row[]> {
	const calls = context.scaled(CALLS);
	const known = KNOWN.map((keys) => onceBeside(context.scaled(keys)));
	const contenders = [off, onceBeside(0), ...known];
	const runs = contenders.map((contenderFor) => async () => {
		return await firstRun(contenderFor, calls, context);
	});
	const rounds = Math.min(context.rounds, MOST_ROUNDS);
	const work = `${calls} calls, ${LATENCY_MS} ms latency`;
	const [without, once, ...besides] = (
		await interleave(runs, rounds, (round) => context.progress(`Send Once: ${round}`))
	).map((samples) => ({ name: samples[0].name, rounds: samples.map(({ ms }) => ms / calls) }));
	const unit = 'ms per call';
	return [
		compare(work, unit, once, without),
		...besides.map((beside) => compare(work, unit, beside, once)),
		await measureSingle(context),
	];
}

/** Starts n8n and makes calls, once. */
async function firstRun(
	contenderFor: (rig: Rig) => Contender,
	calls: number,
	{ signal }: CaseContext,
): Promise<{ name: string; ms: number }> {
	return await withRig({ signal }, async (rig) => {
		await rig.service.configure({ latencyMs: LATENCY_MS });
		const contender = contenderFor(rig);
		const { nodeMs, error } = await measure(rig, await deploy(rig, contender), leads(calls));
		const { accepted } = rig.service.counts();
		if (accepted === calls) return { name: contender.name, ms: nodeMs };
		throw new Error(`${contender.name} made ${accepted} of ${calls} calls. ${error ?? ''}`);
	});
}

/** How long a single text takes, as a webhook starts it. */
async function measureSingle({ signal, rounds }: CaseContext): Promise<Row> {
	return await withRig({ signal }, async (rig) => {
		await rig.service.configure({ latencyMs: LATENCY_MS });
		const deployed = await deploy(rig, onceBeside(0)(rig));
		const seconds: number[] = [];
		for (let round = 0; round < rounds; round++) {
			seconds.push((await measure(rig, deployed, leads(1))).nodeMs / 1_000);
		}
		return {
			work: `a single text, ${LATENCY_MS} ms latency`,
			unit: 's',
			node: 'Once per Phone Number',
			median: rounded(median(seconds)),
		};
	});
}
