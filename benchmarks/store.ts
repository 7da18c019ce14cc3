import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CASES, isCaseName, type CaseName } from './cases/index.ts';
import { comparisonChart, eventChart, growthChart, knownKeysChart } from './charts.ts';
import type { Environment } from './environment.ts';
import { mergeFindings, type Findings } from './results.ts';

/** The figures of a case, and where they come from. */
interface CaseResults extends Partial<Findings> {
	environment: Environment;
	rounds: number;
}

const FILE = join(import.meta.dirname, 'results.json');
const PLOTS = join(import.meta.dirname, 'plots');

// More digits than this no clock here is good for.
const rounded = (_key: string, value: unknown) =>
	typeof value === 'number' ? Number(value.toPrecision(6)) : value;

/** Puts the figures of a case in the place of its earlier ones, and draws all plots anew. */
export async function storeCase(name: CaseName, results: CaseResults): Promise<void> {
	const stored: Partial<Record<CaseName, CaseResults>> = JSON.parse(await readFile(FILE, 'utf8'));
	const all = { ...stored, [name]: results };
	const names = Object.keys(CASES).filter(isCaseName);
	const inOrder = Object.fromEntries(
		names.flatMap((each) => (all[each] ? [[each, all[each]]] : [])),
	);
	await writeFile(FILE, `${JSON.stringify(inOrder, rounded, '\t')}\n`);
	await drawPlots(mergeFindings(Object.values(inOrder)));
}

async function drawPlots({ comparisons, growth, memory, receptions }: Findings): Promise<void> {
	await mkdir(PLOTS, { recursive: true });
	const plots = [
		{
			file: 'ratios.svg',
			found: comparisons,
			draw: async () => await comparisonChart(comparisons),
		},
		{ file: 'growth.svg', found: growth, draw: async () => await growthChart(growth) },
		{ file: 'once.svg', found: memory, draw: async () => await knownKeysChart(memory) },
		{ file: 'events.svg', found: receptions, draw: async () => await eventChart(receptions) },
	];
	for (const { file, found, draw } of plots) {
		if (found.length > 0) await writeFile(join(PLOTS, file), await draw());
	}
}
