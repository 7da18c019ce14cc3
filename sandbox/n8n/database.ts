import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';

import { n8nEnvironment } from './environment.ts';
import { CACHE } from './paths.ts';
import { findFreePort } from './ports.ts';
import { chosenN8n, readPackageVersion } from './versions.ts';

const run = promisify(execFile);

const MIGRATED = join(CACHE, 'databases');

const fileIn = (userFolder: string) => join(userFolder, '.n8n', 'database.sqlite');

/**
 * Gives a new n8n an empty database that has been through all migrations, which take a quarter of its first start.
 * n8n makes it once for each of its versions.
 */
export async function prepareDatabase(userFolder: string): Promise<void> {
	const release = await readPackageVersion(join(dirname(chosenN8n.bin), '..'));
	const migrated = join(MIGRATED, `${release}.sqlite`);
	if (!existsSync(migrated)) await migrate(migrated);
	await mkdir(dirname(fileIn(userFolder)), { recursive: true });
	await copyFile(migrated, fileIn(userFolder));
}

/** Lets n8n make a database, by a command that needs one and changes nothing in it. */
async function migrate(file: string): Promise<void> {
	const { node, bin, env } = chosenN8n;
	const userFolder = await mkdtemp(join(tmpdir(), 'n8n-database-'));
	try {
		const port = await findFreePort();
		const addresses = { userFolder, port, brokerPort: port };
		await run(node, [bin, 'list:workflow'], {
			cwd: userFolder,
			env: n8nEnvironment(addresses, node, env),
		});
		await mkdir(MIGRATED, { recursive: true });
		const part = join(MIGRATED, randomUUID());
		const database = new DatabaseSync(fileIn(userFolder));
		database.prepare('VACUUM INTO ?').run(part);
		database.close();
		// At once, since several may do this at the same time.
		await rename(part, file);
	} finally {
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	}
}
