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
	for (const dependency of Object.keys(allowScripts)) {
		const place = join(folder, 'node_modules', dependency);
		// Some are for other platforms.
		if (!allowScripts[dependency] || !existsSync(place)) continue;
		if (!(builtIn && takeOver(dependency, builtIn, folder))) await setUp(dependency, folder);
	}
}

/** Runs the scripts of a package that it wants to be run when it is installed. */
async function setUp(dependency, folder) {
	const place = join(folder, 'node_modules', dependency);
	const { scripts, bin } = readPackage(place);
	const runs = bin
		? // Links its programs, too, which are there only now.
			[{ args: ['rebuild', '--foreground-scripts', dependency], cwd: folder }]
		: // It would look at all other packages first, which takes longer than most scripts.
			['preinstall', 'install', 'postinstall']
				.filter((script) => script in scripts)
				.map((script) => ({ args: ['run', script], cwd: place }));
	for (const { args, cwd } of runs) {
		const run = [...args, '--loglevel=http'];
		await npm([run, run], {
			title: `Setting up ${dependency}`,
			cwd,
			logName: `set-up-${dependency.replace(/\W/g, '-')}`,
			// For what has to be compiled: the machine's own SQLite takes a tenth of the time, and few optimizations half.
			env: {
				...(existsSync('/usr/include/sqlite3.h') && { npm_config_sqlite: '/usr' }),
				CFLAGS: '-O1',
				CXXFLAGS: '-O0',
			},
		});
	}
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
