import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { hashTexts, unlessDone } from './done.mjs';
import { CACHE } from './paths.mjs';
import { runStep, StepError } from './step.mjs';

/** Ways to install what a lock file names; the next one is for where the one before does not work. */
const WAYS_TO_INSTALL = [
	// Reads the lock file of npm, and takes a tenth of its time.
	[
		...['exec', '--yes', '--package=bun@1.4.5', '--'],
		...['bun', 'install', '--ignore-scripts', '--no-save', '--verbose'],
	],
	// `npm ci` would refuse a lock file that misses optional packages of other platforms.
	['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=http'],
];

const ADVICE =
	'Is there a connection to the npm registry? Try the same command again: what was downloaded so far is kept.';

/**
 * Installs a folder's dependencies if they are missing or outdated. Install scripts run only for
 * the packages that package.json allows: n8n's other native packages would take minutes to compile,
 * against the wrong Node.js, and are not needed.
 *
 * @param options.builtIn a folder with the same Node.js whose native packages may be compiled already
 * @param options.aside whether others may look into the folder meanwhile
 */
export async function installIfNeeded({ folder, aside = false, ...options }) {
	const stamp = join(folder, 'node_modules', '.installed-for');
	if (!existsSync(stamp) && installedByHand(folder)) return;
	await unlessDone(
		stamp,
		() => stateOf(folder),
		() => (aside ? installAside : install)({ folder, ...options }),
	);
}

function readPackage(folder) {
	return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** What an installation depends on; other changes to package.json need no new one. */
function stateOf(folder) {
	const { dependencies, devDependencies, overrides, allowScripts } = readPackage(folder);
	return hashTexts([
		readFileSync(join(folder, 'package-lock.json'), 'utf8'),
		JSON.stringify([dependencies, devDependencies, overrides, allowScripts]),
	]);
}

/** Whether somebody ran `npm install` by hand after the last change. */
function installedByHand(folder) {
	const record = join(folder, 'node_modules', '.package-lock.json');
	if (!existsSync(record)) return false;
	const installed = statSync(record).mtimeMs;
	return ['package.json', 'package-lock.json'].every(
		(name) => statSync(join(folder, name)).mtimeMs <= installed,
	);
}

/** Installs beside a folder, and then moves everything there at once: nobody sees half an installation. */
async function installAside({ folder, ...options }) {
	const besides = join(CACHE, 'install', options.name);
	rmSync(besides, { recursive: true, force: true });
	mkdirSync(besides, { recursive: true });
	for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
		cpSync(join(folder, file), join(besides, file));
	}
	const [from, to] = [besides, folder].map((each) => join(each, 'node_modules'));
	// What is still right of an older installation is kept.
	if (existsSync(to)) renameSync(to, from);
	await install({ folder: besides, ...options });
	renameSync(from, to);
}

/** Installs what the package.json in a folder asks for, and runs the install scripts that it allows. */
async function install({ folder, name, hint, builtIn }) {
	const title = `Installing ${name}${hint ? ` (${hint})` : ''}`;
	await npm(WAYS_TO_INSTALL, { title, cwd: folder, logName: `install-${name}` });
	const { allowScripts = {} } = readPackage(folder);
	const native = Object.keys(allowScripts)
		.filter((dependency) => allowScripts[dependency])
		.filter((dependency) => !(builtIn && takeOver(dependency, builtIn, folder)));
	if (native.length === 0) return;
	const rebuild = ['rebuild', '--foreground-scripts', '--loglevel=http', ...native];
	await npm([rebuild, rebuild], {
		title: `Setting up ${native.join(' and ')}`,
		cwd: folder,
		logName: `rebuild-${name}`,
		// A database compiled with fewer optimizations is ready in half the time.
		env: { CFLAGS: '-O1', CXXFLAGS: '-O1' },
	});
}

/** Runs npm, with the next of these arguments when it did not work with the ones before. */
async function npm([args, ...others], step) {
	try {
		await runStep({ ...step, command: 'npm', args, advice: ADVICE });
	} catch (error) {
		if (!(error instanceof StepError) || others.length === 0) throw error;
		console.log(`  did not work, trying once more (${error.message.split('\n', 1)[0]})`);
		await npm(others, step);
	}
}

/** Takes over what the same version of a native package has compiled elsewhere, which saves a minute. */
function takeOver(dependency, from, to) {
	const [there, here] = [from, to].map((folder) => join(folder, 'node_modules', dependency));
	if (!existsSync(join(there, 'build'))) return false;
	if (readPackage(there).version !== readPackage(here).version) return false;
	cpSync(join(there, 'build'), join(here, 'build'), { recursive: true });
	return true;
}
