import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { installIfNeeded } from './install.mjs';
import { SANDBOX, SANDBOX_1 } from './paths.mjs';
import { runStep, StepError } from './step.mjs';

/** Installs n8n, for whatever runs it. */
export async function setUpN8n() {
	await installIfNeeded({ folder: SANDBOX, name: 'n8n', hint: 'once, 2 GB' });
}

/** Installs the last n8n 1.x too, for the tests that run it. */
export async function setUpN8n1() {
	await setUpN8n();
	await installIfNeeded({ folder: SANDBOX_1, name: 'n8n-1.x', hint: 'once, 2 GB' });
}

/** Gets what n8n's queue mode needs beside n8n: PostgreSQL and Redis. */
export async function setUpQueueMode() {
	await setUpN8n();
	await installIfNeeded({ folder: join(SANDBOX, 'queue'), name: 'PostgreSQL' });
	await ensureProgram('redis-server');
}

/** Gets n8n and the browser that shows its editor, unless CHROMIUM_PATH names one. */
export async function setUpChromium() {
	await setUpN8n();
	if (process.env.CHROMIUM_PATH) return;
	await ensureProgram(
		'chromium',
		'\nOr name a Chromium or Chrome that you have: CHROMIUM_PATH=/path/to/it',
	);
}

function isOnPath(program) {
	const folders = (process.env.PATH ?? '').split(delimiter);
	return folders.some((folder) => existsSync(join(folder, program)));
}

/**
 * Installs the Debian package of this name unless its program is there already, whatever it came from.
 *
 * @throws StepError that says what to install, where there are no rights to do so
 */
async function ensureProgram(name, otherwise = '') {
	if (isOnPath(name)) return;
	const byHand = `apt-get install ${name}${otherwise}`;
	if (process.getuid?.() !== 0 || !isOnPath('apt-get')) {
		throw new StepError(
			`The program ${name} is needed and is not installed. On Debian or Ubuntu: sudo ${byHand}`,
		);
	}
	const install = `apt-get install -y --no-install-recommends ${name}`;
	await runStep({
		title: `Installing ${name}`,
		command: 'sh',
		// A fresh machine has no lists of packages yet, or old ones.
		args: ['-c', `${install} || { apt-get update && ${install}; }`],
		// What is installed is for the tests to start: it shall not run by itself.
		env: { DEBIAN_FRONTEND: 'noninteractive', SYSTEMD_OFFLINE: '1' },
		logName: `apt-${name}`,
		advice: `Install it yourself and try again: ${byHand}`,
	});
}
