import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { endSignal, exitCodeOf } from '../sandbox/endSignal.ts';
import { SANDBOX } from '../sandbox/n8n/paths.ts';
import { readPackageVersion } from '../sandbox/n8n/versions.ts';
import { callContests, onceContests } from './cases/calls.ts';
import { eventContests } from './cases/events.ts';
import { limitContests } from './cases/limit.ts';
import { listContests } from './cases/lists.ts';
import { hold, type Contest } from './contest.ts';

/** All cases by their names on the command line; each gets how large its work shall be. */
const CASES: Record<string, (scaled: (size: number) => number) => Contest[]> = {
	calls: callContests,
	lists: listContests,
	once: onceContests,
	events: eventContests,
	limit: limitContests,
};

const USAGE = `Measures these nodes beside n8n's own, HTTP Request and Webhook, on the same n8n and the same
stand-in. Each table has medians, and in brackets the ratio to the first line.

Usage: npm run bench -- [options] [cases]

  --rounds <number>  measured rounds, after a warm-up (4)
  --scale <number>   a part of the work, such as 0.1, to see that everything runs

Cases, all unless some are named: ${Object.keys(CASES).join(', ')}
`;

async function main(): Promise<number> {
	const { positionals, values } = parseArgs({
		allowPositionals: true,
		options: {
			help: { type: 'boolean' },
			rounds: { type: 'string', default: '4' },
			scale: { type: 'string', default: '1' },
		},
	});
	const names = positionals.length > 0 ? positionals : Object.keys(CASES);
	const [rounds, scale] = [Number(values.rounds), Number(values.scale)];
	const isRight =
		names.every((name) => Object.hasOwn(CASES, name)) && rounds >= 1 && scale > 0 && scale <= 1;
	if (!isRight || values.help) {
		console.error(USAGE);
		return 2;
	}
	const signal = endSignal();
	const version = await readPackageVersion(join(SANDBOX, 'node_modules', 'n8n'));
	console.log(`n8n ${version}, Node.js ${process.version}, ${availableParallelism()} processors`);
	try {
		for (const contest of names.flatMap((name) => CASES[name]((size) => Math.ceil(size * scale)))) {
			const rows = await hold(contest, { rounds, signal, progress: console.log });
			console.log(`${contest.work}, load ${loadavg()[0].toFixed(1)}:`);
			console.table(rows);
		}
		return 0;
	} catch (error) {
		if (!signal.aborted) throw error;
		console.log('\nStopped before the end.');
		return exitCodeOf(signal.reason);
	}
}

process.exitCode = await main();
