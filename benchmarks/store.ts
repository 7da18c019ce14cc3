import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CACHE } from '../sandbox/n8n/paths.ts';
import { comparisonChart, eventChart, growthChart, knownKeysChart } from './charts.ts';
import type { Environment } from './environment.ts';
import type { Findings } from './results.ts';

/** The figures of a run, and where they come from. */
interface Results extends Findings {
	environment: Environment;
	rounds: number;
	cases: string[];
}

// More digits than this no clock here is good for.
const rounded = (_key: string, value: unknown) =>
	typeof value === 'number' ? Number(value.toPrecision(6)) : value;

/** Writes the figures and draws them. Those of a part of the cases do not replace those of all. Returns the folder. */
export async function writeResults(results: Results, isComplete: boolean): Promise<string> {
	const folder = isComplete ? import.meta.dirname : join(CACHE, 'bench');
	const plots = join(folder, 'plots');
	await mkdir(plots, { recursive: true });
	await writeFile(join(folder, 'results.json'), `${JSON.stringify(results, rounded, '\t')}\n`);
	const { comparisons, growth, memory, receptions } = results;
	if (comparisons.length > 0) {
		await writeFile(join(plots, 'ratios.svg'), await comparisonChart(comparisons));
	}
	if (growth.length > 0) await writeFile(join(plots, 'growth.svg'), await growthChart(growth));
	if (memory.length > 0) await writeFile(join(plots, 'once.svg'), await knownKeysChart(memory));
	if (receptions.length > 0)
		await writeFile(join(plots, 'events.svg'), await eventChart(receptions));
	return folder;
}
