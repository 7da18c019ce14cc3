import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { delimiter, dirname, join } from 'node:path';

import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import type { Release } from '../package/pack.ts';

/** A stand-in for the public npm registry, which has nothing but what is published here. */
export interface Registry {
	url: string;
	/** Offers a release; the one published last is the latest. */
	publish(release: Release): void;
	close(): void;
}

const tarballPath = ({ manifest: { name, version } }: Release) =>
	`/${name}/-/${name}-${version}.tgz`;

/** What npm asks for first: all versions of a package, and where to get each of them. */
function describePackage(releases: Release[], url: string): object | undefined {
	const latest = releases.at(-1)?.manifest;
	if (!latest) return undefined;
	const versions = releases.map((release) => {
		const { manifest, integrity } = release;
		const dist = { tarball: url + tarballPath(release), integrity };
		return [manifest.version, { ...manifest, dist }] as const;
	});
	return {
		name: latest.name,
		'dist-tags': { latest: latest.version },
		versions: Object.fromEntries(versions),
	};
}

/** Starts an empty registry on the loopback interface. */
export async function startRegistry(): Promise<Registry> {
	const port = await findFreePort();
	const url = `http://${LOOPBACK}:${port}`;
	const releases: Release[] = [];

	async function answer(path: string): Promise<Buffer | string | undefined> {
		const release = releases.find((each) => tarballPath(each) === path);
		if (release) return await readFile(release.tarball);
		const named = releases.filter(({ manifest }) => `/${manifest.name}` === path);
		return JSON.stringify(describePackage(named, url));
	}

	const server = createServer(({ url: path = '' }, response) => {
		void answer(path).then((found) => {
			response.statusCode = found === undefined ? 404 : 200;
			response.end(found ?? '{"error":"Not found"}');
		});
	});
	await new Promise<void>((resolve) => server.listen(port, LOOPBACK, resolve));
	return { url, publish: (release) => releases.push(release), close: () => server.close() };
}

/**
 * Puts into a folder an `npm` that takes packages from the registry and nowhere else: n8n names the public one with each
 * command, and of two npm takes the later one. Gives the PATH by which it is found.
 */
export async function createNpm(folder: string, { url }: Registry): Promise<string> {
	const folders = (process.env.PATH ?? '').split(delimiter);
	const own = folders.map((each) => join(each, 'npm')).find((each) => existsSync(each));
	const bin = join(folder, 'bin');
	await mkdir(bin);
	const options = `--registry=${url} --cache='${join(folder, 'cache')}' --update-notifier=false`;
	await writeFile(join(bin, 'npm'), `#!/bin/sh\nexec '${own}' "$@" ${options}\n`, { mode: 0o755 });
	// With the Node.js that n8n runs on.
	return [bin, dirname(process.execPath), ...folders].join(delimiter);
}
