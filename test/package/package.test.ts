/** What users get when they install the package. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { N8N_1_BIN, N8N_BIN, PACKAGE_NAME, ROOT } from '../../sandbox/n8n/paths.ts';
import { packAndUnpack, type Unpacked } from './unpacked.ts';

const run = promisify(execFile);

const MAX_PACKED_BYTES = 90_000;
const MAX_UNPACKED_BYTES = 330_000;

/** Beside what is built. */
const PAPERS = ['CHANGELOG.md', 'LICENSE.md', 'README.md', 'package.json'];

/** Scripts that npm runs when a package is installed, also from a repository. */
const INSTALL_SCRIPTS = /^(pre|post)?(install|prepare|publish)$|^prepublishOnly$|^(pre|post)pack$/;

let unpacked: Unpacked;

beforeAll(async () => {
	unpacked = await packAndUnpack();
}, 60_000);

afterAll(() => unpacked?.remove());

/** The paths of all files below a folder of the sources. */
async function filesIn(folder: string): Promise<string[]> {
	const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1));
}

it('has what is built from the sources and the papers, to the last file', async () => {
	const sources = (await Promise.all(['credentials', 'icons', 'nodes'].map(filesIn))).flat();
	const built = sources.map((source) => join('dist', source.replace(/\.ts$/, '.js')));

	const packed = unpacked.report.files.map(({ path }) => path);
	expect(packed.sort()).toEqual([...built, ...PAPERS].sort());
});

it('has for each node what n8n finds it by in its search', () => {
	const packed = unpacked.report.files.map(({ path }) => path);
	const { nodes } = unpacked.manifest.n8n;

	expect(nodes).toHaveLength(2);
	expect(packed).toEqual(expect.arrayContaining(nodes.map((node) => `${node}on`)));
});

it('is small', () => {
	expect(unpacked.report.size).toBeLessThan(MAX_PACKED_BYTES);
	expect(unpacked.report.unpackedSize).toBeLessThan(MAX_UNPACKED_BYTES);
});

it('brings no other packages, and changes none', () => {
	const { manifest } = unpacked;
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	for (const field of [
		'dependencies',
		'optionalDependencies',
		'bundleDependencies',
		'bundledDependencies',
		'overrides',
		'resolutions',
	]) {
		expect(manifest).not.toHaveProperty(field);
	}
});

it('runs nothing when it is installed', () => {
	const names = Object.keys(unpacked.manifest.scripts ?? {});
	expect(names.filter((name) => INSTALL_SCRIPTS.test(name))).toEqual([]);
	expect(unpacked.manifest).not.toHaveProperty('bin');
	expect(unpacked.manifest).not.toHaveProperty('gypfile');
});

it('has the name that workflows refer to', () => {
	expect(unpacked.manifest.name).toBe(PACKAGE_NAME);
});

it('tells nothing of the machine that built it', async () => {
	for (const { path } of unpacked.report.files) {
		expect(await readFile(join(unpacked.folder, path), 'utf8')).not.toContain(ROOT);
	}
});

it.each([
	['2.x', N8N_BIN],
	['1.x', N8N_1_BIN],
])('loads with what n8n %s brings, each class by the name of its file', async (_, bin) => {
	const { nodes, credentials } = unpacked.manifest.n8n;
	const paths = [...credentials, ...nodes].map((path) => join(unpacked.folder, path));
	const names = paths.map((path) => basename(path).split('.', 1)[0]);
	const load = `
		const loaded = process.argv.slice(1).map((path) => Object.keys(require(path)));
		console.log(JSON.stringify(loaded));
	`;

	const { stdout } = await run(process.execPath, ['-e', load, ...paths], {
		// n8n has packages find what it brings in the same way.
		env: { ...process.env, NODE_PATH: join(dirname(bin), '..', '..') },
	});

	expect(JSON.parse(stdout)).toEqual(names.map((name) => [name]));
});
