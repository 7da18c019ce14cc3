import {
	cpSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { hashTexts, unlessDone } from './done.mjs';
import { CACHE } from './paths.mjs';
import { runStep } from './step.mjs';

/** Bun reads the lock file of npm, and takes a tenth of its time. */
const BUN = ['exec', '--yes', '--package=bun@1.4.5', '--', 'bun'];

/** For what has to be compiled: the machine's own SQLite takes a tenth of the time, and few optimizations half. */
const COMPILER_ENV = {
	...(existsSync('/usr/include/sqlite3.h') && { npm_config_sqlite: '/usr' }),
	CFLAGS: '-O1',
	CXXFLAGS: '-O0',
};

/**
 * Installs what a folder's lock file names, if that is missing or outdated. Install scripts run only for the packages
 * that package.json allows: n8n's other native packages would take minutes to compile, and are not needed.
 *
 * @param options.name what is installed, in a word
 * @throws StepError
 */
export async function installIfNeeded({ folder, name, hint = 'once' }) {
	const to = join(folder, 'node_modules');
	const install = async () => {
		// Beside the folder, and then moved there at once: nobody sees half an installation.
		const beside = join(CACHE, 'install', name);
		const from = join(beside, 'node_modules');
		rmSync(beside, { recursive: true, force: true });
		mkdirSync(beside, { recursive: true });
		cpSync(join(folder, 'package-lock.json'), join(beside, 'package-lock.json'));
		const manifest = readManifest(folder);
		const allowed = Object.entries(manifest.allowScripts).filter(([, isAllowed]) => isAllowed);
		// What Bun calls those that npm has in `allowScripts`.
		const trustedDependencies = allowed.map(([dependency]) => dependency);
		writeFileSync(
			join(beside, 'package.json'),
			JSON.stringify({ ...manifest, trustedDependencies }),
		);
		// What is still right of an older installation is kept.
		if (existsSync(to)) renameSync(to, from);
		const step = {
			title: `Installing ${name} (${hint})`,
			command: 'npm',
			args: [...BUN, 'install', '--no-save', '--verbose'],
			cwd: beside,
			env: COMPILER_ENV,
			logName: `install-${name}`,
			advice:
				'Is there a connection to the npm registry? Try the same command again: what was downloaded so far is kept.',
		};
		// A registry may fail for a moment, and what was downloaded is kept.
		await runStep(step).catch(() => runStep(step));
		renameSync(from, to);
	};
	await unlessDone(join(to, '.installed-for'), () => stateOf(folder), install);
}

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** What an installation depends on; other changes to package.json need no new one. */
function stateOf(folder) {
	const { dependencies, devDependencies, overrides, allowScripts } = readManifest(folder);
	return hashTexts([
		readFileSync(join(folder, 'package-lock.json'), 'utf8'),
		JSON.stringify([dependencies, devDependencies, overrides, allowScripts]),
	]);
}
