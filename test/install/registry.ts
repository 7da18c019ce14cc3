import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import type { Release } from './release.ts';

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
