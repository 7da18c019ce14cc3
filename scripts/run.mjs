// The way into everything here: `node scripts/run.mjs [what to set up] -- <arguments of node>`.
//
// Works on a fresh clone with any Node.js from 18 on and nothing installed: it installs what is
// missing, builds what changed, and then runs the given script with the Node.js 24 that n8n needs.
// It imports nothing but built-in modules for that reason, and is no TypeScript.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

import { buildIfNeeded } from './setup/build.mjs';
import { installIfNeeded } from './setup/install.mjs';
import { setUpChromium, setUpN8n } from './setup/needs.mjs';
import { LINT_ENV, NODE, ROOT } from './setup/paths.mjs';
import { StepError } from './setup/step.mjs';

/** What can be set up besides the tools: n8n, n8n with a browser that shows its editor, and the built package. */
const SETUPS = {
	'--sandbox': setUpN8n,
	'--chromium': setUpChromium,
	'--build': buildIfNeeded,
};

const FIRST_RUN =
	'The first run installs what it needs into this folder: 1 GB of tools, and 2 GB for each n8n that it starts. That takes some minutes. Later runs start at once.\n';

const OLDEST_NODE = 18;

/** Runs node with the terminal passed on and gives the exit code that a shell would see. */
function runNode(args) {
	return new Promise((resolve) => {
		const child = spawn(NODE, args, {
			cwd: ROOT,
			env: { ...process.env, ...LINT_ENV },
			stdio: 'inherit',
			shell: process.platform === 'win32',
		});
		// Ctrl-C reaches the child directly, being in the same terminal; other senders know only this
		// process. Either way this one stays until the child has tidied up.
		process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
		process.on('SIGTERM', () => child.kill('SIGTERM'));
		process.on('SIGHUP', () => child.kill('SIGHUP'));
		// A killed npm takes its shell along but tells nobody else.
		const parent = process.ppid;
		const watch = setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 1_000);
		watch.unref();
		child.once('error', (error) => {
			console.error(error.message);
			resolve(1);
		});
		child.once('exit', (code, signal) => {
			resolve(code ?? 128 + (constants.signals[signal] ?? 0));
		});
	});
}

async function main() {
	const all = process.argv.slice(2);
	const separator = all.includes('--') ? all.indexOf('--') : all.length;
	const [setup, command] = [all.slice(0, separator), all.slice(separator + 1)];
	if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
		console.error(
			`Node.js ${OLDEST_NODE} or newer is needed, this is ${process.versions.node}. Get it from https://nodejs.org.`,
		);
		return 1;
	}
	if (!existsSync(join(ROOT, 'node_modules'))) console.log(FIRST_RUN);
	try {
		await installIfNeeded({ folder: ROOT, name: 'tools' });
		for (const option of setup) await SETUPS[option]();
	} catch (error) {
		if (!(error instanceof StepError)) throw error;
		console.error(`\n${error.message}`);
		return 1;
	}
	return command.length === 0 ? 0 : await runNode(command);
}

process.exitCode = await main();
