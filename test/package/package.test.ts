/** What users get when they install the package, and what n8n's scanner says of it. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from '../../sandbox/n8n/paths.ts';
import { packRelease, PAPERS, type Release } from './pack.ts';

const run = promisify(execFile);

const MAX_PACKED_BYTES = 92_000;
const MAX_UNPACKED_BYTES = 310_000;

jest.setTimeout(120_000);

let temporary: string;
/** The package as it goes to npm. */
let release: Release;

beforeAll(async () => {
	temporary = await mkdtemp(join(tmpdir(), 'unpacked-'));
	release = await packRelease(temporary);
});

afterAll(() => rm(temporary, { recursive: true }));

/** Sources of which the compiler leaves nothing. */
const OF_TYPES_ALONE = /\/(?:account|api\.types|operation)\.ts$/;

/** The paths of all files below a folder of the sources. */
async function filesIn(folder: string): Promise<string[]> {
	const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1));
}

it('has what is built from the sources and the papers, to the last file', async () => {
	const sources = (await Promise.all(['credentials', 'icons', 'nodes'].map(filesIn))).flat();
	const built = sources
		.filter((source) => !OF_TYPES_ALONE.test(source))
		.map((source) => join('dist', source.replace(/\.ts$/, '.js')));

	expect(release.files.toSorted()).toEqual([...built, ...PAPERS].sort());
});

it('is small', () => {
	expect(release.size).toBeLessThan(MAX_PACKED_BYTES);
	expect(release.unpackedSize).toBeLessThan(MAX_UNPACKED_BYTES);
});

it('brings no other packages, and changes none', () => {
	expect(release.manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	for (const field of [
		'dependencies',
		'optionalDependencies',
		'bundleDependencies',
		'bundledDependencies',
		'overrides',
		'resolutions',
	]) {
		expect(release.manifest).not.toHaveProperty(field);
	}
});

it('runs nothing when it is installed', () => {
	for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
		expect(release.manifest).not.toHaveProperty(['scripts', script]);
	}
	expect(release.manifest).not.toHaveProperty('bin');
	expect(release.manifest).not.toHaveProperty('gypfile');
});

it('has links to sections of its README that are there', async () => {
	const readme = await readFile(join(release.folder, 'README.md'), 'utf8');
	const titles = [...readme.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title);
	const sections = titles.map((title) => title.toLowerCase().replaceAll(' ', '-'));
	const codices = release.files.filter((path) => path.endsWith('.node.json'));
	expect(codices).toHaveLength(3);
	for (const path of codices) {
		const links = (await readFile(join(release.folder, path), 'utf8')).match(/(?<=#)[\w-]+/g);
		expect(links).toHaveLength(2);
		expect(sections).toEqual(expect.arrayContaining(links ?? []));
	}
});

it('tells nothing of the machine that built it', async () => {
	for (const path of release.files) {
		expect(await readFile(join(release.folder, path), 'utf8')).not.toContain(ROOT);
	}
});

describe("n8n's scanner for community packages, which decides whether n8n verifies the package", () => {
	test.each([
		['sources', () => ROOT],
		['package', () => release.folder],
	] as const)('finds nothing in the %s', async (what, where) => {
		// Without the settings of the linter here: the scanner has one of its own.
		const env = { PATH: process.env.PATH };
		const script = join(import.meta.dirname, 'scan.mjs');
		const { stdout } = await run(process.execPath, [script, where(), what], { env });
		expect(JSON.parse(stdout)).toEqual({ passed: true });
	});
});
