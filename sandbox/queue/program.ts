import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START_TIMEOUT_MS = 30_000;
const STOP_GRACE_MS = 15_000;
const LOG_LIMIT = 20_000;

/** The user "nobody", which every Linux has. */
const NOBODY = 65_534;

const isRoot = process.getuid?.() === 0;

export interface ProgramOptions {
	/** What messages call it. */
	name: string;
	/** The program and its arguments. */
	command: string[];
	/** The part of its log that says that it serves. */
	ready: string;
	/** Makes it end soon, and in good order. */
	stopSignal: NodeJS.Signals;
	/** What to do if it does not start. */
	advice: string;
}

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
	private readonly options: ProgramOptions;
	private child?: ChildProcess;

	constructor(options: ProgramOptions) {
		this.options = options;
	}

	/** Starts it unless it runs, and waits until it serves. */
	async start(): Promise<void> {
		if (this.child) return;
		const { name, command, ready, advice } = this.options;
		const [file, ...args] = harmless(command);
		const child = spawn(file, args, { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
		this.child = child;
		let log = '';
		const outcome = await new Promise<string>((resolve) => {
			const timer = setTimeout(
				() => resolve(`it was not ready after ${START_TIMEOUT_MS / 1000} s`),
				START_TIMEOUT_MS,
			);
			const settle = (result: string) => {
				clearTimeout(timer);
				resolve(result);
			};
			for (const stream of [child.stdout, child.stderr]) {
				stream.setEncoding('utf8');
				stream.on('data', (chunk: string) => {
					log = (log + chunk).slice(-LOG_LIMIT);
					if (log.includes(ready)) settle(ready);
				});
			}
			child.once('error', (error) => settle(error.message));
			child.once('close', () => settle('it ended by itself'));
		});
		if (outcome === ready) return;
		await this.stop();
		throw new Error(`${name} did not start: ${outcome}. ${advice}\nIts log:\n${log}`);
	}

	/** Ends it and waits until it has gone. */
	async stop(): Promise<void> {
		const { child } = this;
		this.child = undefined;
		if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
		const exited = once(child, 'exit');
		child.kill(this.options.stopSignal);
		const late = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
		await exited;
		clearTimeout(late);
	}
}
