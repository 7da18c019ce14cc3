/** What npm does with the package when nobody tells it to leave out what n8n has already. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PACKAGE_NAME } from '../../sandbox/n8n/paths.ts';
import { createNpm, runAsUser } from './npm.ts';
import { startRegistry } from './registry.ts';
import { packRelease } from './release.ts';

test.failing(
	'the package comes alone, without an n8n-workflow of its own',
	async () => {
		const home = await mkdtemp(join(tmpdir(), 'plain-'));
		const registry = await startRegistry();
		try {
			registry.publish(await packRelease(home));
			const path = await createNpm(home, registry);

			await runAsUser(`mkdir ~/nodes && cd ~/nodes && npm install ${PACKAGE_NAME}`, home, path);

			const installed = await readdir(join(home, 'nodes', 'node_modules'));
			expect(installed.filter((name) => !name.startsWith('.'))).toEqual([PACKAGE_NAME]);
		} finally {
			registry.close();
			await rm(home, { recursive: true });
		}
	},
	60_000,
);
