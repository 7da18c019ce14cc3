import { relative } from 'node:path';
import { parseArgs } from 'node:util';

import { ROOT } from '../sandbox/n8n/paths.ts';
import { CASES, isCaseName, type CaseName } from './cases/index.ts';
import { runCommand } from './commandLine.ts';
import { describeEnvironment } from './environment.ts';
import { reportOn } from './report.ts';
import { mergeFindings, type Findings } from './results.ts';
import { storeCase } from './store.ts';

const NAMES = Object.keys(CASES).filter(isCaseName);

const USAGE = `Measures these nodes beside n8n's own, HTTP Request and Webhook, on the same n8n and the same
stand-in.

Usage: npm run bench -- [options]

  --only <cases>     some of: ${NAMES.join(', ')} (divided by commas)
  --quick            without "limit", which waits for the real rate limit and takes long
  --rounds <number>  measured rounds per case, after a warm-up (5)
  --help             show this
`;

interface Options {
	help: boolean;
	rounds: number;
	cases: CaseName[];
}

function parse(): Options {
	const { help, quick, only, rounds } = parseArgs({
		options: {
			help: { type: 'boolean', default: false },
			quick: { type: 'boolean', default: false },
			only: { type: 'string' },
			rounds: { type: 'string', default: '5' },
		},
	}).values;
	if (!/^[1-9]\d?$/.test(rounds)) {
		throw new Error(`--rounds takes a number from 1 to 99, not "${rounds}".`);
	}
	const cases = only?.split(',').map((name) => {
		if (isCaseName(name)) return name;
		throw new Error(`There is no case "${name}". There are: ${NAMES.join(', ')}.`);
	});
	return {
		help,
		rounds: Number(rounds),
		cases: cases ?? NAMES.filter((name) => !quick || name !== 'limit'),
	};
}

async function measureAll({ cases, rounds }: Options, signal: AbortSignal): Promise<boolean> {
	const all: Array<Partial<Findings>> = [];
	for (const name of cases) {
		const progress = (words: string) => console.log(`${name.padEnd(8)}  ${words}`);
		const environment = await describeEnvironment();
		const findings = await CASES[name]({ rounds, signal, progress });
		await storeCase(name, { environment, rounds, ...findings });
		all.push(findings);
	}
	console.log(`\n${reportOn(mergeFindings(all), await describeEnvironment())}`);
	console.log(`Figures and plots are in ${relative(ROOT, import.meta.dirname)}.`);
	return true;
}

process.exitCode = await runCommand(USAGE, parse, measureAll);
