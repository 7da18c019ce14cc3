import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { PACKAGE_NAME, ROOT } from './paths.ts';

/**
 * Puts the package where n8n looks for installed community packages, in place of an older one: what its users get
 * (test/package compares the two), without its texts.
 */
export async function installPackage(userFolder: string): Promise<void> {
	if (!existsSync(join(ROOT, 'dist', 'nodes'))) {
		throw new Error('The package is not built yet. Build it first: npm run build');
	}
	const folder = join(userFolder, '.n8n', 'nodes', 'node_modules', PACKAGE_NAME);
	await rm(folder, { recursive: true, force: true });
	for (const part of ['package.json', 'dist']) {
		await cp(join(ROOT, part), join(folder, part), { recursive: true });
	}
}
