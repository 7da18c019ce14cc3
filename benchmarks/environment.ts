import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

import { ROOT, SANDBOX } from '../sandbox/n8n/paths.ts';
import { readPackageVersion } from '../sandbox/n8n/versions.ts';
import { N8N_SETTINGS } from './rig/rig.ts';

const BYTES_PER_GB = 1024 ** 3;

/** What the figures depend on besides the nodes. */
export interface Environment {
	date: string;
	package: string;
	n8n: string;
	node: string;
	cores: number;
	processor: string;
	memoryGB: number;
	/** How busy the machine was at the start, with other things too: 1 is one busy core. */
	loadAtStart: number;
	n8nSettings: Record<string, string>;
}

/** Describes the machine and the versions. */
export async function describeEnvironment(): Promise<Environment> {
	return {
		date: new Date().toISOString(),
		package: await readPackageVersion(ROOT),
		n8n: await readPackageVersion(join(SANDBOX, 'node_modules', 'n8n')),
		node: process.version,
		cores: availableParallelism(),
		processor: cpus()[0]?.model ?? '',
		memoryGB: Math.round(totalmem() / BYTES_PER_GB),
		loadAtStart: loadavg()[0] ?? 0,
		n8nSettings: N8N_SETTINGS,
	};
}
