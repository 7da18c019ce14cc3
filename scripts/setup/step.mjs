import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

import { CACHE } from './paths.mjs';

const LOGS = join(CACHE, 'logs');
const HEARTBEAT_MS = 15_000;
/** What has been silent for so long hangs. */
const STALL_MS = 4 * 60_000;
const LOG_LINES = 30;
const SIGNALS = ['SIGINT', 'SIGTERM'];
const isWindows = process.platform === 'win32';

/** A step did not succeed; the message says what was done and what to do now. */
export class StepError extends Error {}

/**
 * Runs a command as one step of the set-up: prints its name and the time it took, a sign of life
 * while it runs, and keeps its output in a log that is shown only if it fails. A command that stays
 * silent for minutes is ended.
 *
 * @throws StepError
 */
export async function runStep({ title, command, args, cwd, env, logName, advice }) {
	mkdirSync(LOGS, { recursive: true });
	const file = join(LOGS, `${logName}.log`);
	const log = openSync(file, 'w');
	const started = Date.now();
	const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
	console.log(`• ${title} …`);
	const child = spawn(command, args, {
		cwd,
		// Keeps spinners and colours out of the log.
		env: { ...process.env, CI: 'true', NO_COLOR: '1', ...env },
		stdio: ['ignore', log, log],
		shell: isWindows,
		// A group of its own, so that a hanging install can be ended with all its helpers.
		detached: !isWindows,
	});
	let stalled = false;
	const watch = setInterval(() => {
		if (Date.now() - Math.max(statSync(file).mtimeMs, started) < STALL_MS) {
			console.log(`  … still at it (${seconds()})`);
			return;
		}
		endGroup(child, stalled ? 'SIGKILL' : 'SIGTERM');
		stalled = true;
	}, HEARTBEAT_MS);
	const endWithThis = () => endGroup(child, 'SIGTERM');
	const leave = (signal) => process.exit(128 + constants.signals[signal]);
	process.once('exit', endWithThis);
	for (const signal of SIGNALS) process.once(signal, leave);
	const [code, signal] = await once(child, 'close').catch((error) => [null, error.message]);
	process.off('exit', endWithThis);
	for (const signal of SIGNALS) process.off(signal, leave);
	clearInterval(watch);
	closeSync(log);
	if (code === 0) {
		console.log(`  done in ${seconds()}`);
		return;
	}
	const problem = stalled
		? 'it gave no sign of life, so it was ended'
		: `it ended with ${signal ?? `exit code ${code}`}`;
	const tail = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n');
	throw new StepError(
		`${title}: ${problem} after ${seconds()}. The end of its log (${file}):\n\n${tail}\n\n${advice}`,
	);
}

/** Ends a step's process and all that it started. */
function endGroup(child, signal) {
	try {
		process.kill(isWindows ? child.pid : -child.pid, signal);
	} catch {
		// It is gone already.
	}
}
