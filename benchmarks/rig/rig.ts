import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { createCredential, type CredentialReference } from '../../sandbox/n8n/credentials.ts';
import { startN8n, type N8n } from '../../sandbox/n8n/index.ts';
import { N8N_BIN } from '../../sandbox/n8n/paths.ts';
import { startConnected } from '../../sandbox/n8n/sandbox.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { findChild } from './procfs.ts';
import { startStandIn, type StandIn } from './standIn.ts';

/** Settings of n8n that figures depend on. Everything else is as n8n ships it. */
export const N8N_SETTINGS = {
	EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'false',
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all',
	N8N_EXPRESSION_ENGINE: 'vm',
};

/** n8n's own type for a key in a header: the leanest that the HTTP Request node takes. */
export const HEADER_CREDENTIAL_TYPE = 'httpHeaderAuth';

/** A running n8n and a stand-in, with credentials that connect the two. */
export interface Rig {
	n8n: N8n;
	/** n8n's main process, which runs the workflows. */
	pid: number;
	standIn: StandIn;
	/** The same key for both nodes, each in the form that the node takes. */
	credential: CredentialReference;
	headerCredential: CredentialReference;
	/** Adds keys to those that a node remembers, as runs before would have. */
	remember(workflowId: string, node: string, keys: number): void;
	signal: AbortSignal;
}

/** What a benchmark needs of the rig. */
export interface RigOptions {
	messages: number;
	/** Settings of n8n besides those above. */
	n8nSettings?: Record<string, string>;
	signal: AbortSignal;
}

/** Starts both, does the work, and stops both, whatever becomes of the work. */
export async function withRig<Result>(
	{ messages, n8nSettings, signal }: RigOptions,
	work: (rig: Rig) => Promise<Result>,
): Promise<Result> {
	const { apiKey } = seeded.demo;
	const userFolder = await mkdtemp(join(tmpdir(), 'n8n-bench-'));
	const { n8n, service, credential, stop } = await startConnected(
		() => startStandIn(messages),
		() =>
			startN8n({ userFolder, env: { ...N8N_SETTINGS, ...n8nSettings, ...profiling() }, signal }),
		{ name: 'Benchmark' },
	);
	try {
		const headerCredential = await createCredential(n8n.rest, {
			name: 'Benchmark (header)',
			type: HEADER_CREDENTIAL_TYPE,
			data: { name: 'apiKey', value: apiKey },
		});
		const pid = await findChild(N8N_BIN);
		return await work({
			n8n,
			pid,
			standIn: service,
			credential,
			headerCredential,
			remember: (...which) => remember(join(userFolder, '.n8n', 'database.sqlite'), ...which),
			signal,
		});
	} finally {
		await stop();
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

/** Options of Node.js for n8n, to look into where time goes: `BENCH_NODE_OPTIONS=--cpu-prof`. */
function profiling(): Record<string, string> {
	const { BENCH_NODE_OPTIONS: options } = process.env;
	return options ? { NODE_OPTIONS: options } : {};
}
