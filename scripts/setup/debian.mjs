import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { runStep, StepError } from './step.mjs';

const STALL_MS = 3 * 60_000;

function isOnPath(binary) {
	const folders = (process.env.PATH ?? '').split(delimiter);
	return folders.some((folder) => existsSync(join(folder, binary)));
}

async function aptGet(title, name, args) {
	await runStep({
		title,
		command: 'env',
		args: [
			'DEBIAN_FRONTEND=noninteractive',
			// What is installed is for the tests to start: it shall not run by itself.
			'SYSTEMD_OFFLINE=1',
			'apt-get',
			...args,
		],
		logName: `apt-${name}`,
		stallMs: STALL_MS,
		advice: `Install it yourself and try again: apt-get install ${name}`,
	});
}

/**
 * Installs a Debian package unless its program is there already, whatever it came from. Without the
 * rights to do so, it says what to install.
 */
export async function ensureDebianPackage(name, binary) {
	if (isOnPath(binary)) return;
	if (process.getuid?.() !== 0 || !isOnPath('apt-get')) {
		throw new StepError(
			`The program ${binary} is needed and is not installed. On Debian or Ubuntu: sudo apt-get install ${name}`,
		);
	}
	const install = () =>
		aptGet(`Installing ${name}`, name, ['install', '-y', '--no-install-recommends', name]);
	try {
		await install();
	} catch (error) {
		if (!(error instanceof StepError)) throw error;
		// A fresh machine has no lists of packages yet, or old ones.
		await aptGet('Updating the lists of Debian packages', name, ['update']);
		await install();
	}
}
