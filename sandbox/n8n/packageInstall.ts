import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { CACHE, PACKAGE_NAME, ROOT } from './paths.ts';

const DIST = join(ROOT, 'dist');

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

/** A hash of what goes into the package, but for its texts. */
async function hashBuild(): Promise<string> {
	const built = await readdir(DIST, { recursive: true, withFileTypes: true });
	const files = built
		.filter((entry) => entry.isFile())
		.map((file) => join(file.parentPath, file.name));
	const hash = createHash('sha256');
	for (const file of [join(ROOT, 'package.json'), ...files.sort()]) {
		hash.update(file).update(await readFile(file));
	}
	return hash.digest('hex');
}

/** Packs the package and unpacks it again, once for each build: npm takes seconds. Gives the folder. */
async function unpackOnce(): Promise<string> {
	const folder = join(CACHE, 'packed', await hashBuild());
	if (existsSync(folder)) return folder;
	await mkdir(dirname(folder), { recursive: true });
	const temporary = await mkdtemp(`${folder}-`);
	try {
		const { filename } = await packPackage(temporary);
		await unpackPackage(filename, temporary);
		await rename(join(temporary, 'package'), folder).catch((error: unknown) => {
			const anotherWasQuicker = existsSync(folder);
			if (!anotherWasQuicker) throw error;
		});
		return folder;
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

/** Puts the package where n8n looks for installed community packages, as its users get it, in place of an older one. */
export async function installPackage(userFolder: string): Promise<void> {
	if (!existsSync(join(DIST, 'nodes'))) {
		throw new Error('The package is not built yet. Build it first: npm run build');
	}
	const folder = join(userFolder, '.n8n', 'nodes', 'node_modules', PACKAGE_NAME);
	await rm(folder, { recursive: true, force: true });
	await cp(await unpackOnce(), folder, { recursive: true });
}
