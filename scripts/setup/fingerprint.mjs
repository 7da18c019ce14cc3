import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** All files at or below a path, in a stable order; none if it does not exist. */
function filesBelow(path) {
	if (!existsSync(path)) return [];
	if (!statSync(path).isDirectory()) return [path];
	return readdirSync(path)
		.sort()
		.flatMap((name) => filesBelow(join(path, name)));
}

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

/** Remembers in a file what a finished step was done for, so that it is not done again. */
export class Stamp {
	constructor(file) {
		this.file = file;
	}

	matches(fingerprint) {
		return existsSync(this.file) && readFileSync(this.file, 'utf8') === fingerprint;
	}

	write(fingerprint) {
		writeFileSync(this.file, fingerprint);
	}

	/** To be called before a step begins: one that breaks off must not look finished. */
	clear() {
		rmSync(this.file, { force: true });
	}

	get exists() {
		return existsSync(this.file);
	}
}
