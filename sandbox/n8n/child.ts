import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

const LOG_LINES_IN_ERRORS = 25;
const LOG_LIMIT = 200_000;
const STOP_GRACE_MS = 15_000;

/** How a program is started, and when it is ready. */
export interface ChildOptions {
	/** What messages call it. */
	name: string;
	/** The program and its arguments. */
	command: [string, ...string[]];
	spawn: SpawnOptions;
	/** The part of its log that says that it does its work. */
	ready: string;
	timeoutMs: number;
	/** Makes it end soon, and in good order. */
	stopSignal?: NodeJS.Signals;
	/** Breaks the start off. */
	signal?: AbortSignal;
}

/** A running program. */
export interface Child {
	pid?: number;
	/** What it has written lately. */
	log(): string;
	/** Settles when it has ended, whoever ended it. */
	exited: Promise<void>;
	/** Asks it to end, waits while it drains, and ends it the hard way if it hangs. */
	stop(): Promise<void>;
	/** Ends it at once, without a chance to tidy up, as a crash does. */
	kill(): Promise<void>;
}

/** Signals a program and what it has started in its process group, if it has one. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals, detached = false): void {
	if (pid === undefined) return;
	try {
		process.kill(detached ? -pid : pid, signal);
	} catch {
		// It is gone already, which is what was wanted.
	}
}

async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
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

/** Starts a program and waits until it does its work. */
export async function startChild(options: ChildOptions): Promise<Child> {
	const { name, command, ready: readyLine, timeoutMs, stopSignal = 'SIGTERM', signal } = options;
	signal?.throwIfAborted();
	const [file, ...args] = command;
	const child = spawn(file, args, options.spawn);
	const { detached } = options.spawn;
	let log = '';
	const exited = new Promise<void>((resolve) => {
		child.once('error', (error) => {
			log += `${error.message}\n`;
			resolve();
		});
		child.once('exit', () => resolve());
	});
	const ready = new Promise<void>((resolve) => {
		let waiting = true;
		for (const stream of [child.stdout, child.stderr]) {
			stream?.setEncoding('utf8');
			stream?.on('data', (chunk: string) => {
				log += chunk;
				// Rarely, since a text is copied to be cut.
				if (log.length > 2 * LOG_LIMIT) log = log.slice(-LOG_LIMIT);
				if (!waiting || !log.includes(readyLine)) return;
				waiting = false;
				resolve();
			});
		}
	});
	const kill = async () => {
		child.kill('SIGKILL');
		await exited;
		// What it has started, and what outlived it, belongs to the same group.
		signalGroup(child, 'SIGKILL', detached);
	};
	const stop = async () => {
		signalGroup(child, stopSignal, detached);
		await settlesWithin(exited, STOP_GRACE_MS);
		await kill();
	};
	const startError = (reason: string) => {
		const tail = log.trimEnd().split('\n').slice(-LOG_LINES_IN_ERRORS).join('\n');
		return new Error(`${name} did not start: ${reason}. The end of its log:\n${tail}`);
	};

	const abort = () => void stop();
	signal?.addEventListener('abort', abort, { once: true });
	const endedEarly = exited.then(() => {
		signal?.throwIfAborted();
		throw startError('it ended by itself');
	});
	// Later on, an end is no failure to start any more.
	endedEarly.catch(() => undefined);
	const inTime = await settlesWithin(Promise.race([ready, endedEarly]), timeoutMs);
	signal?.removeEventListener('abort', abort);
	if (!inTime) {
		await stop();
		throw startError(`it was not ready after ${timeoutMs / 1000} s`);
	}
	return { pid: child.pid, log: () => log, exited, stop, kill };
}
