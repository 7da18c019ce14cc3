import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { PACKAGE_NAME, ROOT } from './paths.ts';

const run = promisify(execFile);

/**
 * How the package gets into n8n: `packed` as its users get it, `linked` so that a new build is
 * seen after a restart, `none` for an n8n without it.
 */
export type PackageSource = 'packed' | 'linked' | 'none';

export interface PackedFile {
	path: string;
	size: number;
}

export interface PackReport {
	filename: string;
	size: number;
	unpackedSize: number;
	files: PackedFile[];
}

/** Packs the built package into a folder, as publishing would. */
export async function packPackage(destination: string): Promise<PackReport> {
	const { stdout } = await run(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', destination],
		{ cwd: ROOT, shell: process.platform === 'win32' },
	);
	const reports: PackReport[] = JSON.parse(stdout);
	const report = reports[0];
	if (!report) throw new Error('npm pack reported no package.');
	return report;
}

async function unpackInto(folder: string): Promise<void> {
	const temporary = await mkdtemp(join(tmpdir(), 'pack-'));
	try {
		const { filename } = await packPackage(temporary);
		await run('tar', ['-xzf', filename], { cwd: temporary });
		await rename(join(temporary, 'package'), folder);
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

/** Puts the package where n8n looks for installed community packages, in place of an older one. */
export async function installPackage(userFolder: string, source: PackageSource): Promise<void> {
	const folder = join(userFolder, '.n8n', 'nodes', 'node_modules', PACKAGE_NAME);
	await rm(folder, { recursive: true, force: true });
	if (source === 'none') return;
	if (!existsSync(join(ROOT, 'dist', 'nodes'))) {
		throw new Error('The package is not built yet. Build it first: npm run build');
	}
	await mkdir(dirname(folder), { recursive: true });
	if (source === 'linked') await symlink(ROOT, folder, 'junction');
	else await unpackInto(folder);
}
