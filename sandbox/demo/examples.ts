import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ROOT } from '../n8n/paths.ts';
import type { WorkflowDefinition } from '../n8n/workflows.ts';

const FOLDER = join(ROOT, 'examples');

/** Makes the tables that the others look into, when it is started by hand. */
export const MAKES_TABLES = 'keep-the-opt-outs.json';

/** A workflow of the package's examples, with the file it is in. */
export interface Example {
	file: string;
	workflow: WorkflowDefinition;
}

/** Reads all examples in the order of their file names. */
export async function readExamples(folder = FOLDER): Promise<Example[]> {
	if (!existsSync(folder)) return [];
	const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
	return await Promise.all(
		files.map(async (file) => {
			const workflow: WorkflowDefinition = JSON.parse(await readFile(join(folder, file), 'utf8'));
			return { file, workflow };
		}),
	);
}
