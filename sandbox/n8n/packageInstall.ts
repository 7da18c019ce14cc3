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
 * seen after a restart, `none` for an n8n without it, `kept` as somebody left it there.
 */
export type PackageSource = 'packed' | 'linked' | 'none' | 'kept';

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

async function packInto(folder: string): Promise<void> {
	const temporary = await mkdtemp(join(tmpdir(), 'pack-'));
	try {
		const { filename } = await packPackage(temporary);
		await unpackPackage(filename, temporary);
		await rename(join(temporary, 'package'), folder);
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

/** Puts the package where n8n looks for installed community packages, in place of an older one. */
export async function installPackage(userFolder: string, source: PackageSource): Promise<void> {
	if (source === 'kept') return;
	const folder = join(userFolder, '.n8n', 'nodes', 'node_modules', PACKAGE_NAME);
	await rm(folder, { recursive: true, force: true });
	if (source === 'none') return;
	if (!existsSync(join(ROOT, 'dist', 'nodes'))) {
		throw new Error('The package is not built yet. Build it first: npm run build');
	}
	await mkdir(dirname(folder), { recursive: true });
	if (source === 'linked') await symlink(ROOT, folder, 'junction');
	else await packInto(folder);
}
