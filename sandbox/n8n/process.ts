import { pathToFileURL } from 'node:url';

import { startChild, type Child } from './child.ts';
import { n8nEnvironment, type Addresses } from './environment.ts';
import { PRELOADED } from './paths.ts';
import { defaultVersion, versionOf, type N8nVersion } from './versions.ts';

/**
 * What an n8n process is for: its command, and the line of its log that says that it does its work.
 * (/healthz answers before the REST routes and webhooks exist.)
 */
const ROLES = {
	main: { command: 'start', ready: 'Editor is now accessible' },
	worker: { command: 'worker', ready: 'n8n worker is now ready' },
	webhook: { command: 'webhook', ready: 'Webhook listener waiting for requests' },
};

export type Role = keyof typeof ROLES;

/** On a busy machine, n8n takes a while to start. */
export const START_TIMEOUT_MS = 120_000;

interface ProcessOptions {
	env?: Record<string, string>;
	role?: Role;
	version?: N8nVersion;
	/** Breaks the start off. */
	signal?: AbortSignal;
}

/** Starts n8n and waits until it does its work: a main until its editor, REST routes and webhooks answer. */
export async function startN8nProcess(
	addresses: Addresses,
	{ env, role = 'main', version = defaultVersion(), signal }: ProcessOptions = {},
): Promise<Child> {
	const { command, ready } = ROLES[role];
	const n8n = versionOf(version);
	return await startChild({
		name: 'n8n',
		command: [n8n.node, ...['--import', pathToFileURL(PRELOADED).href, n8n.bin, command]],
		spawn: {
			// n8n reads `.env` from the working folder: that of the sandbox is nobody's business.
			cwd: addresses.userFolder,
			env: n8nEnvironment(addresses, n8n.node, { ...n8n.env, ...env }),
			stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
			// With its task runner in a process group.
			detached: process.platform !== 'win32',
		},
		ready,
		timeoutMs: START_TIMEOUT_MS,
		signal,
	});
}
