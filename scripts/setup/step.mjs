import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { CACHE } from './paths.mjs';

const LOGS = join(CACHE, 'logs');
const HEARTBEAT_MS = 15_000;
const LOG_LINES = 30;

/** A step did not succeed; the message says what was done and what to do now. */
export class StepError extends Error {}

/**
 * Runs a command as one step of the set-up: prints its name and the time it took, a sign of life
 * while it runs, and keeps its output in a log that is shown only if it fails.
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
		shell: process.platform === 'win32',
	});
	const heartbeat = setInterval(() => console.log(`  … still at it (${seconds()})`), HEARTBEAT_MS);
	const [code, signal] = await once(child, 'close').catch((error) => [null, error.message]);
	clearInterval(heartbeat);
	closeSync(log);
	if (code === 0) {
		console.log(`  done in ${seconds()}`);
		return;
	}
	const tail = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n');
	throw new StepError(
		`${title}: it ended with ${signal ?? `exit code ${code}`} after ${seconds()}. The end of its log (${file}):\n\n${tail}\n\n${advice}`,
	);
}
