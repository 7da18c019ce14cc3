import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CACHE } from '../sandbox/n8n/paths.ts';
import type { Environment } from './environment.ts';
import { CASE_NAMES, type Options } from './options.ts';
import { eventChart } from './charts/events.ts';
import { growthChart } from './charts/growth.ts';
import { ratioChart } from './charts/ratios.ts';
import type { Findings } from './results.ts';

const RATIOS = {
	title: 'This node beside the HTTP Request node',
	subtitle: 'Its figure divided by that of the HTTP Request node (1). Shorter is better.',
};

/** Where the figures of a run go: those of a part of the cases do not replace those of all. */
function folderFor({ cases }: Options): string {
	const complete = CASE_NAMES.every((name) => cases.includes(name));
	return complete ? import.meta.dirname : join(CACHE, 'bench');
}

// More digits than this no clock here is good for.
const rounded = (_key: string, value: unknown) =>
	typeof value === 'number' ? Number(value.toPrecision(6)) : value;

/** Writes the figures and draws them. Returns the folder. */
export async function writeResults(
	options: Options,
	environment: Environment,
	found: Findings,
): Promise<string> {
	const folder = folderFor(options);
	const plots = join(folder, 'plots');
	await mkdir(plots, { recursive: true });
	const { rounds, cases } = options;
	const results = JSON.stringify({ environment, rounds, cases, ...found }, rounded, '\t');
	await writeFile(join(folder, 'results.json'), `${results}\n`);
	if (found.comparisons.length > 0) {
		await writeFile(join(plots, 'ratios.svg'), ratioChart(found.comparisons, RATIOS));
	}
	if (found.growth.length > 0) {
		await writeFile(join(plots, 'growth.svg'), growthChart(found.growth));
	}
	if (found.receptions.length > 0) {
		await writeFile(join(plots, 'events.svg'), eventChart(found.receptions));
	}
	return folder;
}
