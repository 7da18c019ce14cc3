import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startChild, type Child, type ChildOptions } from '../n8n/child.ts';

const START_TIMEOUT_MS = 30_000;

/** The user "nobody", which every Linux has. */
const NOBODY = 65_534;

const isRoot = process.getuid?.() === 0;

/**
 * The command with what makes it end when this process does, however that ends, and keeps it from
 * running as root, which PostgreSQL refuses.
 */
export function harmless(command: string[]): [string, ...string[]] {
	const ordinaryUser = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
	return ['setpriv', '--pdeathsig=KILL', ...(isRoot ? ordinaryUser : []), '--', ...command];
}

/** A new folder that harmless commands can write to. */
export async function createFolder(name: string): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), `${name}-`));
	if (isRoot) await chown(folder, NOBODY, NOBODY);
	return folder;
}

/** Removes what `createFolder` made. */
export async function removeFolder(folder: string): Promise<void> {
	await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A server beside n8n, which can be stopped and started again. */
export class Program {
	private readonly options: ChildOptions;
	private child?: Child;

	constructor(
		command: string[],
		options: Pick<ChildOptions, 'name' | 'ready' | 'stopSignal' | 'advice'>,
	) {
		this.options = {
			...options,
			command: harmless(command),
			spawn: { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] },
			timeoutMs: START_TIMEOUT_MS,
		};
	}

	/** Starts it unless it runs, and waits until it serves. */
	async start(): Promise<void> {
		this.child ??= await startChild(this.options);
	}

	/** Ends it and waits until it has gone. */
	async stop(): Promise<void> {
		const { child } = this;
		this.child = undefined;
		await child?.stop();
	}
}
