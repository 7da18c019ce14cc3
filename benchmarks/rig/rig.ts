import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { INode } from 'n8n-workflow';

import { createCredential } from '../../sandbox/n8n/credentials.ts';
import { startN8n } from '../../sandbox/n8n/index.ts';
import { N8N_BIN } from '../../sandbox/n8n/paths.ts';
import { startConnected, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { seeded, startService } from '../../sandbox/service/service.ts';
import { findChild } from './procfs.ts';

/** Settings of n8n that figures depend on. Everything else is as n8n ships it. */
const N8N_SETTINGS = {
	EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'false',
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all',
	N8N_EXPRESSION_ENGINE: 'vm',
};

/** n8n's own type for a key in a header: the leanest that the HTTP Request node takes. */
export const HEADER_CREDENTIAL_TYPE = 'httpHeaderAuth';

/** A running n8n and a stand-in, which does not limit calls and has no running agents. */
export interface Rig extends Sandbox {
	/** n8n's main process, which runs the workflows. */
	pid: number;
	/** The key of the service for n8n's own nodes. */
	header: NonNullable<INode['credentials']>;
	/** Stores a credential for a header with this value, for n8n's own nodes. */
	addHeader(name: string, value: string): Promise<NonNullable<INode['credentials']>>;
	/** Adds keys to those that a node remembers, as runs before would have. */
	remember(workflowId: string, node: string, keys: number): void;
	signal: AbortSignal;
}

interface RigOptions {
	/** How many there are at the service. */
	messages?: number;
	/** Settings of n8n besides those above. */
	n8nSettings?: Record<string, string>;
	signal: AbortSignal;
}

/** Starts both, does the work, and stops both, whatever becomes of the work. */
export async function withRig<Result>(
	{ messages = 0, n8nSettings, signal }: RigOptions,
	work: (rig: Rig) => Promise<Result>,
): Promise<Result> {
	const userFolder = await mkdtemp(join(tmpdir(), 'n8n-bench-'));
	const env = { ...N8N_SETTINGS, ...n8nSettings };
	const sandbox = await startConnected(
		() => startService({ messages, agent: { enabled: false }, rateLimit: { enabled: false } }),
		() => startN8n({ userFolder, env, signal }),
	);
	const addHeader = async (name: string, value: string) => ({
		[HEADER_CREDENTIAL_TYPE]: await createCredential(sandbox.n8n.rest, {
			...{ name: `${name} header`, type: HEADER_CREDENTIAL_TYPE },
			data: { name, value },
		}),
	});
	try {
		return await work({
			...sandbox,
			pid: await findChild(N8N_BIN),
			header: await addHeader('apiKey', seeded.demo.apiKey),
			addHeader,
			remember: (...which) => remember(join(userFolder, '.n8n', 'database.sqlite'), ...which),
			signal,
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
