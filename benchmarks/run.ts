import { relative } from 'node:path';

import { endSignal, exitCodeOf } from '../sandbox/endSignal.ts';
import { ROOT } from '../sandbox/n8n/paths.ts';
import { CASES } from './cases/index.ts';
import { describeEnvironment } from './environment.ts';
import { parseOptions, USAGE, UsageError, type Options } from './options.ts';
import { reportOn } from './report.ts';
import { mergeFindings, type Findings } from './results.ts';
import { writeResults } from './store.ts';

const WRONG_USAGE = 2;

async function measureAll(options: Options, signal: AbortSignal): Promise<void> {
	const { cases, rounds } = options;
	const environment = await describeEnvironment();
	const all: Findings[] = [];
	for (const name of cases) {
		const progress = (words: string) => console.log(`${name.padEnd(6)}  ${words}`);
		all.push(await CASES[name]({ rounds, signal, progress }));
	}
	const found = mergeFindings(all);
	console.log(`\n${reportOn(found, environment)}`);
	const folder = await writeResults(options, environment, found);
	console.log(`Figures and plots are in ${relative(ROOT, folder)}.`);
}

async function main(): Promise<number> {
	const options = parseOptions(process.argv.slice(2));
	if (options.help) {
		console.log(USAGE);
		return 0;
	}
	const signal = endSignal();
	try {
		await measureAll(options, signal);
		return 0;
	} catch (error) {
		if (!signal.aborted) throw error;
		console.log('\nStopped before the end; nothing was written.');
		return exitCodeOf(signal.reason);
	}
}

try {
	process.exitCode = await main();
} catch (error) {
	const expected = error instanceof UsageError;
	console.error(expected ? `${error.message}\n\n${USAGE}` : error);
	process.exitCode = expected ? WRONG_USAGE : 1;
}
