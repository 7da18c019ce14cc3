import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { packPackage, unpackPackage, type PackReport } from '../../sandbox/n8n/packageInstall.ts';

/** What npm and n8n read of a package. */
export interface Manifest {
	name: string;
	scripts?: Record<string, string>;
	n8n: { nodes: string[]; credentials: string[] };
	[field: string]: unknown;
}

/** The package as it goes to npm, unpacked again. */
export interface Unpacked {
	report: PackReport;
	folder: string;
	manifest: Manifest;
	remove(): Promise<void>;
}

/** Packs the package and unpacks it into a temporary folder. */
export async function packAndUnpack(): Promise<Unpacked> {
	const temporary = await mkdtemp(join(tmpdir(), 'unpacked-'));
	const report = await packPackage(temporary);
	await unpackPackage(report.filename, temporary);
	const folder = join(temporary, 'package');
	return {
		report,
		folder,
		manifest: JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
		remove: () => rm(temporary, { recursive: true }),
	};
}
