import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from '../../sandbox/n8n/paths.ts';

const run = promisify(execFile);

/** What is published beside what is built. */
export const PAPERS = ['LICENSE.md', 'README.md', 'package.json'];

/** What npm and n8n read of a package. */
export interface Manifest {
	name: string;
	version: string;
	peerDependencies?: Record<string, string>;
}

/** A packed version of the package, with what a registry tells about it. */
export interface Release {
	tarball: string;
	/** The package unpacked again. */
	folder: string;
	integrity: string;
	size: number;
	unpackedSize: number;
	/** Their paths within the package. */
	files: string[];
	manifest: Manifest;
}

/** Packs the built package (or a copy of it) into a folder, as publish.yml does, and unpacks it there. */
export async function packRelease(destination: string, source = ROOT): Promise<Release> {
	const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
	const { stdout } = await run('npm', pack, { cwd: source });
	const [{ filename, files, ...sizes }] = JSON.parse(stdout);
	await run('tar', ['-xzf', filename], { cwd: destination });
	const folder = join(destination, 'package');
	return {
		...sizes,
		files: files.map(({ path }: { path: string }) => path),
		tarball: join(destination, filename),
		folder,
		manifest: JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
	};
}
