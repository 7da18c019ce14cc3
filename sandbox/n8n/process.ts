import { spawn, type ChildProcess } from 'node:child_process';
import { pathToFileURL } from 'node:url';

import { n8nEnvironment, type Addresses } from './environment.ts';
import { EXIT_WITH_PARENT } from './paths.ts';
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
const STOP_GRACE_MS = 15_000;
const LOG_LINES_IN_ERRORS = 25;
const LOG_LIMIT = 200_000;

export interface ProcessOptions {
	env?: Record<string, string>;
	role?: Role;
	version?: N8nVersion;
	/** Breaks the start off. */
	signal?: AbortSignal;
}

export interface N8nProcess {
	/** What n8n has written lately. */
	log(): string;
	/** Settles when n8n has ended, whoever ended it. */
	exited: Promise<void>;
	/** Asks n8n to end, waits while it drains, and ends it the hard way if it hangs. */
	stop(): Promise<void>;
	/** Ends n8n at once, without a chance to tidy up, as a crash does. */
	kill(): Promise<void>;
}

/** n8n ended or hung before it was ready. */
function startError(reason: string, log: string): Error {
	const tail = log.trimEnd().split('\n').slice(-LOG_LINES_IN_ERRORS).join('\n');
	return new Error(`n8n did not start: ${reason}. The end of its log:\n${tail}`);
}

/** Signals n8n and its task runner, which share a process group. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
	if (child.pid === undefined) return;
	try {
		process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
	} catch {
		// The group is gone already, which is what was wanted.
	}
}

async function settlesWithin(promise: Promise<void>, ms: number): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<false>((resolve) => {
		timer = setTimeout(() => resolve(false), ms);
	});
	try {
		return await Promise.race([promise.then(() => true), late]);
	} finally {
		clearTimeout(timer);
	}
}

/** Starts n8n and waits until it does its work: a main until its editor, REST routes and webhooks answer. */
export async function startN8nProcess(
	addresses: Addresses,
	{ env, role = 'main', version = defaultVersion(), signal }: ProcessOptions = {},
): Promise<N8nProcess> {
	signal?.throwIfAborted();
	const { command, ready: readyLine } = ROLES[role];
	const n8n = versionOf(version);
	const child = spawn(
		process.execPath,
		['--import', pathToFileURL(EXIT_WITH_PARENT).href, n8n.bin, command],
		{
			// n8n reads `.env` from the working folder: that of the sandbox is nobody's business.
			cwd: addresses.userFolder,
			env: n8nEnvironment(addresses, { ...n8n.env, ...env }),
			stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
			detached: process.platform !== 'win32',
		},
	);
	let log = '';
	const exited = new Promise<void>((resolve) => {
		child.once('error', (error) => {
			log += `${error.message}\n`;
			resolve();
		});
		child.once('exit', () => resolve());
	});
	const ready = new Promise<void>((resolve) => {
		const onOutput = (chunk: string) => {
			log = (log + chunk).slice(-LOG_LIMIT);
			if (log.includes(readyLine)) resolve();
		};
		for (const stream of [child.stdout, child.stderr]) {
			stream?.setEncoding('utf8');
			stream?.on('data', onOutput);
		}
	});

	const stop = async () => {
		signalGroup(child, 'SIGTERM');
		await settlesWithin(exited, STOP_GRACE_MS);
		// Also after a clean end: a task runner that outlived n8n belongs to the same group.
		signalGroup(child, 'SIGKILL');
		await exited;
	};

	const kill = async () => {
		child.kill('SIGKILL');
		await exited;
		signalGroup(child, 'SIGKILL');
	};

	const abort = () => void stop();
	signal?.addEventListener('abort', abort, { once: true });
	const endedEarly = exited.then(() => {
		signal?.throwIfAborted();
		throw startError('it ended by itself', log);
	});
	// Later on, an end is no failure to start any more.
	endedEarly.catch(() => undefined);
	const inTime = await settlesWithin(Promise.race([ready, endedEarly]), START_TIMEOUT_MS);
	signal?.removeEventListener('abort', abort);
	if (!inTime) {
		await stop();
		throw startError(`it was not ready after ${START_TIMEOUT_MS / 1000} s`, log);
	}
	return { log: () => log, exited, stop, kill };
}
