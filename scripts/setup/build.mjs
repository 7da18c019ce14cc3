import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { hashPaths, unlessDone } from './done.mjs';
import { CACHE, NODE, ROOT } from './paths.mjs';
import { runStep } from './step.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = join(CACHE, 'built-for');
const SHIPPED = ['credentials', 'icons', 'nodes'];
const SOURCES = [...SHIPPED, 'package.json', 'tsconfig.json'].map((name) => join(ROOT, name));

/** Builds the package into dist/ if its sources changed since the last time. */
export async function buildIfNeeded() {
	if (!existsSync(join(DIST, 'nodes'))) rmSync(STAMP, { force: true });
	await unlessDone(
		STAMP,
		() => hashPaths(SOURCES),
		async () => {
			await run('Building the package', ['@n8n/node-cli/bin/n8n-node.mjs', 'build']);
			dropStrayCopies();
			dropEmptyModules();
			await run('Laying out what was built', [
				...['prettier/bin/prettier.cjs', '--write', '--log-level=warn'],
				// The one for Git leaves out what is built.
				...['--ignore-path', '.prettierignore', 'dist'],
			]);
		},
	);
}

const run = (title, [script, ...args]) =>
	runStep({
		title,
		command: NODE,
		args: [join('node_modules', script), ...args],
		cwd: ROOT,
		logName: 'build',
		advice: 'Correct the errors above and try again.',
	});

/**
 * `n8n-node build` copies each image and schema below the root, those of the n8n in sandbox/ too.
 * They would not be published, but they are 17 MB in the way.
 */
function dropStrayCopies() {
	for (const entry of readdirSync(DIST, { withFileTypes: true })) {
		const stray = entry.isDirectory() && !SHIPPED.includes(entry.name);
		if (stray) rmSync(join(DIST, entry.name), { recursive: true });
	}
}

/** A file of types alone becomes a module without anything, which nothing loads. */
function dropEmptyModules() {
	const modules = readdirSync(DIST, { recursive: true }).filter((name) => name.endsWith('.js'));
	for (const file of modules.map((name) => join(DIST, name))) {
		if (!/\b(?:exports\.|require\()/.test(readFileSync(file, 'utf8'))) rmSync(file);
	}
}
