import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

import type { Registry } from './registry.ts';

function findOnPath(program: string): string {
	const folders = (process.env.PATH ?? '').split(delimiter);
	const folder = folders.find((each) => existsSync(join(each, program)));
	if (!folder) throw new Error(`${program} is not installed.`);
	return join(folder, program);
}

/**
 * Puts into a folder an `npm` that takes packages from the given registry and nowhere else: n8n
 * names the public one with each command, and of two npm takes the later one.
 */
export async function createNpm(folder: string, registry: Registry): Promise<string> {
	const bin = join(folder, 'bin');
	await mkdir(bin);
	const options = `--registry=${registry.url} --cache='${join(folder, 'cache')}'`;
	await writeFile(
		join(bin, 'npm'),
		`#!/bin/sh\nexec '${findOnPath('npm')}' "$@" ${options} --update-notifier=false\n`,
		{ mode: 0o755 },
	);
	// With the Node.js that n8n runs on.
	return [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
}
