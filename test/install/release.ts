import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { packPackage, unpackPackage } from '../../sandbox/n8n/packageInstall.ts';
import { ROOT } from '../../sandbox/n8n/paths.ts';

/** A packed version of the package, with what a registry tells about it. */
export interface Release {
	tarball: string;
	integrity: string;
	manifest: { name: string; version: string };
}

const NODE = join('dist', 'nodes', 'MessagingService', 'MessagingService.node.js');
const NAME = "displayName: 'Messaging Service'";

/** What the node is called in the next release. */
export const NEXT_NAME = 'Messaging Service (next)';

async function packFrom(source: string, destination: string): Promise<Release> {
	const { filename, integrity } = await packPackage(destination, source);
	const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
	return { tarball: join(destination, filename), integrity, manifest };
}

/** Packs the package as it is now. */
export async function packRelease(destination: string): Promise<Release> {
	return await packFrom(ROOT, destination);
}

/** Packs the release that could follow: its version is higher, and its node has another name. */
export async function packNextRelease(present: Release, destination: string): Promise<Release> {
	const folder = join(destination, 'next');
	await mkdir(folder);
	await unpackPackage(present.tarball, folder);
	const source = join(folder, 'package');
	const [major, minor, patch] = present.manifest.version.split('.').map(Number);
	await writeFile(
		join(source, 'package.json'),
		JSON.stringify({ ...present.manifest, version: `${major}.${minor}.${Number(patch) + 1}` }),
	);
	const node = await readFile(join(source, NODE), 'utf8');
	if (!node.includes(NAME)) throw new Error('The node cannot be given another name.');
	await writeFile(join(source, NODE), node.replace(NAME, `displayName: '${NEXT_NAME}'`));
	return await packFrom(source, destination);
}
