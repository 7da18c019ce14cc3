import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { hashPaths, Stamp } from './fingerprint.mjs';
import { CACHE, NODE, ROOT } from './paths.mjs';
import { runStep } from './step.mjs';

const SHIPPED = ['credentials', 'icons', 'nodes'];
const SOURCES = [...SHIPPED, 'package.json', 'tsconfig.json'];
const STALL_MS = 3 * 60_000;

/**
 * `n8n-node build` copies each image and schema below the root, those of the n8n in sandbox/ too.
 * They would not be published, but they are 17 MB in the way.
 */
function dropStrayCopies() {
	const dist = join(ROOT, 'dist');
	for (const entry of readdirSync(dist, { withFileTypes: true })) {
		const stray = entry.isDirectory() && !SHIPPED.includes(entry.name);
		if (stray) rmSync(join(dist, entry.name), { recursive: true });
	}
}

/** Builds the package into dist/ if its sources changed since the last time. */
export async function buildIfNeeded() {
	const stamp = new Stamp(join(CACHE, 'built-for'));
	const fingerprint = hashPaths(SOURCES.map((name) => join(ROOT, name)));
	if (stamp.matches(fingerprint) && existsSync(join(ROOT, 'dist', 'nodes'))) return;
	mkdirSync(CACHE, { recursive: true });
	stamp.clear();
	await runStep({
		title: 'Building the package',
		command: NODE,
		args: [join('node_modules', '@n8n', 'node-cli', 'bin', 'n8n-node.mjs'), 'build'],
		cwd: ROOT,
		logName: 'build',
		stallMs: STALL_MS,
		advice: 'Correct the errors above and try again.',
	});
	dropStrayCopies();
	stamp.write(fingerprint);
}
