import { join } from 'node:path';

import { ensureDebianPackage } from './debian.mjs';
import { installIfNeeded } from './install.mjs';
import { SANDBOX } from './paths.mjs';

/** Gets what n8n's queue mode needs beside n8n: PostgreSQL and Redis. */
export async function setUpQueueMode() {
	await installIfNeeded({ folder: join(SANDBOX, 'queue'), name: 'PostgreSQL' });
	await ensureDebianPackage('redis-server', 'redis-server');
}
