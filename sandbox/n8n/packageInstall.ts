import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { PACKAGE_NAME, ROOT } from './paths.ts';

const run = promisify(execFile);

interface PackedFile {
	path: string;
	size: number;
}

export interface PackReport {
	version: string;
	filename: string;
	integrity: string;
	size: number;
	unpackedSize: number;
	files: PackedFile[];
}

/** Packs the built package (or a copy of it) into a folder, as publishing would. */
export async function packPackage(destination: string, source = ROOT): Promise<PackReport> {
	const { stdout } = await run(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', destination],
		{ cwd: source, shell: process.platform === 'win32' },
	);
	const reports: PackReport[] = JSON.parse(stdout);
	const report = reports[0];
	if (!report) throw new Error('npm pack reported no package.');
	return report;
}

/** Unpacks a packed package; its files are then in the folder `package`. */
export async function unpackPackage(tarball: string, destination: string): Promise<void> {
	await run('tar', ['-xzf', tarball], { cwd: destination });
}

/** Puts the package where n8n looks for installed community packages, as its users get it, in place of an older one. */
export async function installPackage(userFolder: string): Promise<void> {
	if (!existsSync(join(ROOT, 'dist', 'nodes'))) {
		throw new Error('The package is not built yet. Build it first: npm run build');
	}
	const folder = join(userFolder, '.n8n', 'nodes', 'node_modules', PACKAGE_NAME);
	const temporary = await mkdtemp(join(tmpdir(), 'pack-'));
	try {
		const { filename } = await packPackage(temporary);
		await unpackPackage(filename, temporary);
		await rm(folder, { recursive: true, force: true });
		await mkdir(dirname(folder), { recursive: true });
		await rename(join(temporary, 'package'), folder);
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}
