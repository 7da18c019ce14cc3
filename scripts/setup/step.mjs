import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { CACHE } from './paths.mjs';

const HEARTBEAT_MS = 15_000;
const KILL_GRACE_MS = 5_000;
const LOG_LINES = 30;

/** A step did not succeed; the message says what was done and what to do now. */
export class StepError extends Error {}

const seconds = (since) => `${Math.round((Date.now() - since) / 1000)} s`;

/** Ends a step's process and all that it started. */
function endGroup(child, signal) {
	try {
		process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
	} catch {
		// It is gone already.
	}
}

/**
 * Runs a command as one step of the set-up: prints its name and the time it took, a sign of life
 * while it runs, and keeps its output in a log that is shown only if it fails. A command that stays
 * silent for `stallMs` counts as hanging and is ended.
 */
export function runStep({ title, command, args, cwd, env, stallMs, logName, advice }) {
	const log = join(CACHE, 'logs', `${logName}.log`);
	mkdirSync(join(CACHE, 'logs'), { recursive: true });
	const started = Date.now();
	let lastOutput = started;
	let stalled = false;
	console.log(`• ${title} …`);

	return new Promise((resolve, reject) => {
		const output = createWriteStream(log);
		const child = spawn(command, args, {
			cwd,
			// Keeps spinners and colours out of the log.
			env: { ...process.env, CI: 'true', NO_COLOR: '1', ...env },
			stdio: ['ignore', 'pipe', 'pipe'],
			shell: process.platform === 'win32',
			// A group of its own, so that a hanging install can be ended with all its helpers.
			detached: process.platform !== 'win32',
		});
		for (const stream of [child.stdout, child.stderr]) {
			stream.on('data', (chunk) => {
				lastOutput = Date.now();
				output.write(chunk);
			});
		}
		const heartbeat = setInterval(
			() => console.log(`  … still at it (${seconds(started)})`),
			HEARTBEAT_MS,
		);
		const watch = setInterval(() => {
			if (Date.now() - lastOutput < stallMs) return;
			stalled = true;
			endGroup(child, 'SIGTERM');
			setTimeout(() => endGroup(child, 'SIGKILL'), KILL_GRACE_MS).unref();
		}, 1_000);
		const interrupt = (signal) => process.exit(signal === 'SIGINT' ? 130 : 143);
		process.once('SIGINT', interrupt);
		process.once('SIGTERM', interrupt);
		const endWithThis = () => endGroup(child, 'SIGTERM');
		process.once('exit', endWithThis);

		const finish = (problem) => {
			clearInterval(heartbeat);
			clearInterval(watch);
			process.off('SIGINT', interrupt);
			process.off('SIGTERM', interrupt);
			process.off('exit', endWithThis);
			output.end(() => {
				if (!problem) {
					console.log(`  done in ${seconds(started)}`);
					resolve();
					return;
				}
				const tail = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n');
				reject(
					new StepError(
						`${title}: ${problem} after ${seconds(started)}. The end of its log (${log}):\n\n` +
							`${tail}\n\n${advice}`,
					),
				);
			});
		};
		child.once('error', (error) => finish(error.message));
		child.once('close', (code, signal) => {
			if (stalled) finish(`no sign of life for ${stallMs / 1000} s, so it was ended`);
			else if (code === 0) finish();
			else finish(`it ended with ${signal ?? `exit code ${code}`}`);
		});
	});
}
