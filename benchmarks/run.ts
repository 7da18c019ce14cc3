import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { endSignal, exitCodeOf } from '../sandbox/endSignal.ts';
import { SANDBOX } from '../sandbox/n8n/paths.ts';
import { readPackageVersion } from '../sandbox/n8n/versions.ts';
import { measureCalls } from './cases/calls.ts';
import type { Case } from './cases/context.ts';
import { measureEvents } from './cases/events.ts';
import { measureLimit } from './cases/limit.ts';
import { measureLists } from './cases/list.ts';
import { measureOnce } from './cases/once.ts';

/** All cases by their names on the command line. */
const CASES: Record<string, Case> = {
	calls: measureCalls,
	list: measureLists,
	once: measureOnce,
	events: measureEvents,
	limit: measureLimit,
};

const USAGE = `Measures these nodes beside n8n's own, HTTP Request and Webhook, on the same n8n and the same
stand-in.

Usage: npm run bench -- [options] [cases]

  --rounds <number>  measured rounds per case, after a warm-up (5)
  --scale <number>   a part of the work, such as 0.1, to see that everything runs

Cases, all unless some are named: ${Object.keys(CASES).join(', ')}
`;

interface Options {
	cases: string[];
	rounds: number;
	scale: number;
}

/** Reads the command line; undefined when it does not make sense, or asks for help. */
function parse(): Options | undefined {
	const { positionals, values } = parseArgs({
		allowPositionals: true,
		options: {
			help: { type: 'boolean' },
			rounds: { type: 'string', default: '5' },
			scale: { type: 'string', default: '1' },
		},
	});
	const cases = positionals.length > 0 ? positionals : Object.keys(CASES);
	const [rounds, scale] = [Number(values.rounds), Number(values.scale)];
	const isRight =
		cases.every((name) => Object.hasOwn(CASES, name)) && rounds >= 1 && scale > 0 && scale <= 1;
	return isRight && !values.help ? { cases, rounds, scale } : undefined;
}

/** What the figures depend on besides the nodes. */
async function describeEnvironment(): Promise<string> {
	const n8n = await readPackageVersion(join(SANDBOX, 'node_modules', 'n8n'));
	const [load = 0] = loadavg();
	return `n8n ${n8n}, Node.js ${process.version}, ${availableParallelism()} processors, load ${load.toFixed(2)}`;
}

async function runCases({ cases, rounds, scale }: Options, signal: AbortSignal): Promise<void> {
	for (const name of cases) {
		console.log(`${name}: ${await describeEnvironment()}`);
		const rows = await CASES[name]({
			rounds,
			scaled: (size) => Math.ceil(size * scale),
			signal,
			progress: (words) => console.log(`${name}: ${words}`),
		});
		console.table(rows);
	}
}

async function main(): Promise<number> {
	const options = parse();
	if (!options) {
		console.error(USAGE);
		return 2;
	}
	const signal = endSignal();
	try {
		await runCases(options, signal);
		return 0;
	} catch (error) {
		if (!signal.aborted) throw error;
		console.log('\nStopped before the end.');
		return exitCodeOf(signal.reason);
	}
}

process.exitCode = await main();
