// Checks that all is set for a release and writes its notes: `node main.ts <tag> <file>`. It needs
// nothing installed but Node.js 24.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { releaseNotes } from './notes.ts';
import { findPlaceholders } from './placeholders.ts';

const ROOT = join(import.meta.dirname, '..', '..');

async function check(tag: string): Promise<string> {
	const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
	if (tag !== version) throw new Error(`The tag is ${tag}, but package.json says ${version}.`);
	const placeholders = await findPlaceholders(ROOT);
	if (placeholders.length > 0) {
		throw new Error(
			`See "Before the first publication" in docs/development/releasing.md: ${placeholders.join(', ')}`,
		);
	}
	return releaseNotes(await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
}

const [tag = '', file = 'notes.md'] = process.argv.slice(2);
try {
	await writeFile(file, await check(tag));
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
