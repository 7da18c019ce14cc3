/** What users get when they install the package. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { packPackage, type PackReport } from '../../sandbox/n8n/packageInstall.ts';
import { PACKAGE_NAME, ROOT } from '../../sandbox/n8n/paths.ts';

const MAX_BYTES = 100_000;

let report: PackReport;
let manifest: Record<string, unknown>;

beforeAll(async () => {
	const folder = await mkdtemp(join(tmpdir(), 'pack-'));
	try {
		report = await packPackage(folder);
	} finally {
		await rm(folder, { recursive: true });
	}
	manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
}, 60_000);

it('has nothing but the built nodes and the papers', () => {
	const stray = report.files
		.map(({ path }) => path)
		.filter((path) => !/^(LICENSE|README|CHANGELOG)\.md$|^package\.json$/.test(path))
		.filter((path) => !/^dist\/(credentials|icons|nodes)\/.*\.(js|json|svg)$/.test(path));

	expect(stray).toEqual([]);
});

it('has everything that n8n is to load', () => {
	const { nodes, credentials } = manifest.n8n as Record<'nodes' | 'credentials', string[]>;
	const paths = report.files.map(({ path }) => path);

	expect(paths).toEqual(expect.arrayContaining([...nodes, ...credentials]));
	// Beside each node is what n8n finds it by in its search.
	expect(paths).toEqual(expect.arrayContaining(nodes.map((node) => `${node}on`)));
	expect(paths).toEqual(expect.arrayContaining(['LICENSE.md', 'README.md', 'package.json']));
});

it('is small', () => {
	expect(report.size).toBeLessThan(MAX_BYTES);
});

it('brings no other packages and runs nothing when installed', () => {
	expect(manifest).not.toHaveProperty('dependencies');
	expect(manifest).not.toHaveProperty('optionalDependencies');
	expect(manifest).not.toHaveProperty('bundledDependencies');
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	expect(Object.keys(manifest.scripts ?? {})).not.toEqual(
		expect.arrayContaining([expect.stringMatching(/^(pre|post)?install$|^prepare$/)]),
	);
});

it('has the name that workflows refer to', () => {
	expect(manifest.name).toBe(PACKAGE_NAME);
});
