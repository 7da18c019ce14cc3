import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { INode } from 'n8n-workflow';

import { createCredential } from '../sandbox/n8n/credentials.ts';
import { startN8n } from '../sandbox/n8n/index.ts';
import { startConnected, type Sandbox } from '../sandbox/n8n/sandbox.ts';
import { startService, type ServiceOptions } from '../sandbox/service/service.ts';

/** Settings of n8n that figures depend on. Everything else is as n8n ships it. */
const N8N_SETTINGS = {
	EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'false',
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all',
	N8N_EXPRESSION_ENGINE: 'vm',
	// n8n would give its database up while it is busy.
	DB_PING_TIMEOUT_MS: '60000',
};

/** n8n's own type for a key in a header: the leanest that its nodes take. */
export const HEADER_CREDENTIAL_TYPE = 'httpHeaderAuth';

// Linux counts processor time in hundredths of a second.
const MS_PER_TICK = 10;

export interface RigSettings {
	/** Of the stand-in. */
	settings?: ServiceOptions;
	/** Of n8n, besides those above. */
	n8n?: Record<string, string>;
}

/** A running n8n and a stand-in, which does not limit calls and has no running agents unless settings say so. */
export interface Rig extends Sandbox {
	/** Stores a credential for a header with this value, for n8n's own nodes. */
	addHeader(name: string, value: string): Promise<NonNullable<INode['credentials']>>;
	/** Adds keys to those that a node remembers, as runs before would have. */
	remember(workflowId: string, node: string, keys: number): void;
	/** With all executions kept, the later ones would take longer. */
	removeExecutions(workflowId: string): Promise<void>;
	/** The processor time that n8n has used so far, in milliseconds. */
	cpuMs(): Promise<number>;
	/** The most memory that n8n has held so far, in megabytes. */
	peakMb(): Promise<number>;
	signal: AbortSignal;
}

/** Starts both, does the work, and stops both, whatever becomes of the work. */
export async function withRig<Result>(
	{ settings, n8n, signal }: RigSettings & { signal: AbortSignal },
	work: (rig: Rig) => Promise<Result>,
): Promise<Result> {
	const userFolder = await mkdtemp(join(tmpdir(), 'n8n-bench-'));
	const standIn = { messages: 0, agent: { enabled: false }, rateLimit: { enabled: false } };
	const sandbox = await startConnected(
		() => startService({ ...standIn, ...settings }),
		() => startN8n({ userFolder, env: { ...N8N_SETTINGS, ...n8n }, signal }),
	);
	const proc = (file: string) => `/proc/${sandbox.n8n.pid}/${file}`;
	try {
		return await work({
			...sandbox,
			signal,
			addHeader: async (name, value) => ({
				[HEADER_CREDENTIAL_TYPE]: await createCredential(sandbox.n8n.rest, {
					...{ name: `${name} header`, type: HEADER_CREDENTIAL_TYPE },
					data: { name, value },
				}),
			}),
			remember: (...which) => remember(join(userFolder, '.n8n', 'database.sqlite'), ...which),
			async removeExecutions(workflowId) {
				const chosen = { deleteBefore: new Date().toISOString(), filters: { workflowId } };
				await sandbox.n8n.rest.post('/rest/executions/delete', chosen);
			},
			async cpuMs() {
				// The program's name comes first, in brackets, and may hold blanks.
				const fields = (await readFile(proc('stat'), 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
				return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
			},
			async peakMb() {
				const [, kB] = /VmHWM:\s*(\d+)/.exec(await readFile(proc('status'), 'utf8')) ?? [];
				return Number(kB) / 1_000;
			},
		});
	} finally {
		await sandbox.stop();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	}
}

/** Writes what n8n's store for processed data would hold, which takes a hash of each value. */
function remember(database: string, workflowId: string, node: string, keys: number): void {
	const data = Array.from({ length: keys }, (_, key) =>
		createHash('md5').update(`known ${key}`).digest('base64'),
	);
	const store = new DatabaseSync(database, { timeout: 10_000 });
	store
		.prepare('INSERT INTO processed_data ("workflowId", "context", "value") VALUES (?, ?, ?)')
		.run(workflowId, `n:${node}`, JSON.stringify({ mode: 'entries', data }));
	store.close();
}
