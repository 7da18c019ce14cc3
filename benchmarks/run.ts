import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { endSignal, exitCodeOf } from '../sandbox/endSignal.ts';
import { SANDBOX } from '../sandbox/n8n/paths.ts';
import { readPackageVersion } from '../sandbox/n8n/versions.ts';
import { measureCalls, measureGrowth } from './cases/calls.ts';
import type { Case } from './cases/context.ts';
import { measureEvents } from './cases/events.ts';
import { measureLimit } from './cases/limit.ts';
import { measureLists } from './cases/list.ts';
import { measureOnce } from './cases/once.ts';
import type { Row } from './comparison.ts';
import { formatTable } from './table.ts';

/** All cases by their names on the command line. */
const CASES: Record<string, Case> = {
	calls: measureCalls,
	growth: measureGrowth,
	list: measureLists,
	once: measureOnce,
	events: measureEvents,
	limit: measureLimit,
};

const RESULTS = join(import.meta.dirname, 'results.json');

const USAGE = `Measures these nodes beside n8n's own, HTTP Request and Webhook, on the same n8n and the same
stand-in.

Usage: npm run bench -- [options] [cases]

  --rounds <number>  measured rounds per case, after a warm-up (5)
  --scale <number>   a part of the work, such as 0.1, to see that everything runs; no figures are kept

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
async function describeEnvironment() {
	return {
		date: new Date().toISOString().slice(0, 10),
		n8n: await readPackageVersion(join(SANDBOX, 'node_modules', 'n8n')),
		node: process.version,
		cores: availableParallelism(),
		/** How busy the machine was, with other things too: 1 is one busy core. */
		loadAtStart: Number((loadavg()[0] ?? 0).toFixed(2)),
	};
}

async function runCases({ cases, rounds, scale }: Options, signal: AbortSignal): Promise<void> {
	for (const name of cases) {
		const environment = await describeEnvironment();
		const rows = await CASES[name]({
			rounds,
			scaled: (size) => Math.ceil(size * scale),
			signal,
			progress: (words) => console.log(`${name}: ${words}`),
		});
		console.log(`\n${tableOf(scale === 1 ? rows : rows.map(withoutTarget))}\n`);
		if (scale === 1) await store(name, { ...environment, rounds, rows });
	}
}

/** Targets are for the whole of the work. */
function withoutTarget(row: Row): Row {
	return Object.fromEntries(
		Object.entries(row).filter(([title]) => !['target', 'met'].includes(title)),
	);
}

function tableOf(rows: Row[]): string {
	const titles = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	return formatTable(
		titles,
		rows.map((row) => titles.map((title) => (row[title] ?? '').toLocaleString('en'))),
	);
}

/** Puts the results of a case in the place of its earlier ones. */
async function store(name: string, results: object): Promise<void> {
	const stored: Record<string, object> = JSON.parse(await readFile(RESULTS, 'utf8'));
	const all = { ...stored, [name]: results };
	await writeFile(RESULTS, `${JSON.stringify(all, null, '\t')}\n`);
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
