import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { prepareDatabase } from '../../sandbox/n8n/database.ts';
import { startN8n, type N8n } from '../../sandbox/n8n/index.ts';
import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import { NO_CODE_NODES } from '../../sandbox/n8n/sandbox.ts';
import { defaultVersion } from '../../sandbox/n8n/versions.ts';
import { createNpm } from './npm.ts';
import { startRegistry, type Registry } from './registry.ts';
import { packNextRelease, packRelease, type Release } from './release.ts';

/** A machine for n8n, without the package, and a registry that has it. */
export interface Site {
	registry: Registry;
	present: Release;
	next: Release;
	/** The folder into which n8n's documentation has packages installed. */
	nodesFolder: string;
	/** Settings that keep n8n to the registry. */
	env: Record<string, string>;
	startN8n(): Promise<N8n>;
	/** Removes it all; to be called when n8n is stopped. */
	remove(): Promise<void>;
}

/** Makes a site whose registry has the present release. */
export async function createSite(): Promise<Site> {
	const home = await mkdtemp(join(tmpdir(), 'n8n-site-'));
	const work = join(home, 'work');
	await mkdir(work);
	const registry = await startRegistry();
	const path = await createNpm(work, registry);
	const present = await packRelease(work);
	const next = await packNextRelease(present, work);
	registry.publish(present);
	await prepareDatabase(home, defaultVersion());
	const env = {
		...NO_CODE_NODES,
		N8N_DISABLE_UI: 'true',
		PATH: path,
		// n8n asks its own server about a package, and the public registry past npm: neither is there.
		HTTPS_PROXY: `http://${LOOPBACK}:${await findFreePort()}`,
		NO_PROXY: LOOPBACK,
	};
	return {
		registry,
		present,
		next,
		nodesFolder: join(home, '.n8n', 'nodes'),
		env,
		startN8n: () => startN8n({ userFolder: home, package: 'kept', env }),
		async remove() {
			registry.close();
			await rm(home, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}
