// Checks that all is set for a release and writes its notes: `node main.ts <tag> <file>`. It needs
// nothing installed but Node.js 24.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { findPlaceholders } from './placeholders.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const HEADING = /^## (\S+) - (.+)$/m;

/**
 * What CHANGELOG.md says of a version.
 *
 * @throws when it says nothing of it, or that it is not released yet.
 */
function releaseNotes(changelog: string, version: string): string {
	const sections = changelog.split(/^(?=## )/m);
	const section = sections.find((each) => HEADING.exec(each)?.[1] === version);
	if (!section) throw new Error(`CHANGELOG.md has no section "## ${version} - <date>".`);
	const date = HEADING.exec(section)?.[2] ?? '';
	if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) {
		throw new Error(`CHANGELOG.md says "${date}" of ${version}, not the date of its release.`);
	}
	return `${section.replace(HEADING, '').trim()}\n`;
}

async function check(tag: string): Promise<string> {
	const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
	if (tag !== version) throw new Error(`The tag is ${tag}, but package.json says ${version}.`);
	const placeholders = findPlaceholders(ROOT);
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
