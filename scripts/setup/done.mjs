import { createHash } from 'node:crypto';
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** A hash over texts. */
export function hashTexts(texts) {
	const hash = createHash('sha256');
	for (const text of texts) hash.update(text).update('\0');
	return hash.digest('hex');
}

/** A hash over the names and contents of files and folders. */
export function hashPaths(paths) {
	return hashTexts(paths.flatMap(filesBelow).flatMap((file) => [file, readFileSync(file)]));
}

/** All files at or below a path, in a stable order. */
function filesBelow(path) {
	if (!statSync(path).isDirectory()) return [path];
	const names = readdirSync(path).sort();
	return names.flatMap((name) => filesBelow(join(path, name)));
}

/**
 * Does something unless it was done before for the same state of things. The file `stamp` remembers that; it is
 * gone while the work is under way, since work that breaks off must not look finished.
 */
export async function unlessDone(stamp, stateOfThings, work) {
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === stateOfThings()) return;
	rmSync(stamp, { force: true });
	await work();
	mkdirSync(dirname(stamp), { recursive: true });
	writeFileSync(stamp, stateOfThings());
}
