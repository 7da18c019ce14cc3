/** What has to be right before a version is published. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parse } from 'yaml';

import { ROOT } from '../../sandbox/n8n/paths.ts';
import { findPlaceholders } from '../../scripts/release/placeholders.ts';

const read = (file: string) => readFile(join(ROOT, file), 'utf8');

test('placeholders are found wherever they are', async () => {
	const root = await mkdtemp(join(tmpdir(), 'placeholders-'));
	const codex = join('nodes', 'Node', 'Node.node.json');
	await mkdir(join(root, 'credentials'));
	await mkdir(join(root, 'nodes', 'Node'), { recursive: true });
	for (const file of ['package.json', 'README.md', 'SECURITY.md', codex]) {
		await writeFile(join(root, file), 'https://github.com/owner/n8n-nodes-messaging-service');
	}
	expect(findPlaceholders(root)).toEqual([]);

	await writeFile(join(root, 'SECURITY.md'), 'Write to `maintainers@example.com`.');
	await writeFile(join(root, codex), 'https://example.com/n8n-nodes-messaging-service#trigger');
	expect(findPlaceholders(root)).toEqual(['SECURITY.md', codex]);
	await rm(root, { recursive: true });
});

test('all placeholders are on the page about releasing', async () => {
	const page = await read('docs/development/releasing.md');
	for (const file of findPlaceholders(ROOT)) expect(page).toContain(`\`${file}\``);
});

describe('the workflow that publishes', () => {
	interface Job {
		needs?: string;
		environment?: string;
		permissions?: Record<string, string>;
		steps?: Array<{ run?: string; uses?: string }>;
		uses?: string;
	}

	let jobs: Record<string, Job>;

	beforeAll(async () => {
		({ jobs } = parse(await read('.github/workflows/publish.yml')));
	});

	const commandsOf = (job?: Job) => (job?.steps ?? []).map(({ run }) => run ?? '').join('\n');

	it('publishes with provenance what has passed all tests', async () => {
		expect(commandsOf(jobs.publish)).toContain('--provenance');
		expect(jobs.publish?.needs).toBe('pack');
		expect(jobs.pack?.needs).toBe('test');
		expect(jobs.test?.uses).toBe('./.github/workflows/ci.yml');
		const { jobs: ci } = parse(await read('.github/workflows/ci.yml'));
		expect(commandsOf(ci.test).trim()).toBe('npm test');
	});

	it('gives the right to publish to no job that runs code of others', () => {
		const entitled = Object.keys(jobs).filter((name) => jobs[name]?.permissions?.['id-token']);
		expect(entitled).toEqual(['publish']);
		expect(commandsOf(jobs.publish)).not.toMatch(/npm (ci|install|run|test)/);
		expect(commandsOf(jobs.publish)).toContain('--ignore-scripts');
	});

	it('publishes only what lies on main, and what a maintainer approves', () => {
		expect(commandsOf(jobs.check)).toContain('--is-ancestor "$GITHUB_SHA" origin/main');
		expect(jobs.publish?.environment).toBe('npm');
	});
});

test('every workflow names the actions of others by their commit, beside the version', async () => {
	const files = await readdir(join(ROOT, '.github', 'workflows'));
	const pages = await Promise.all(files.map((file) => read(join('.github', 'workflows', file))));
	const uses = pages.flatMap((page) => page.match(/uses: .*/g) ?? []);
	expect(uses.length).toBeGreaterThan(5);
	const others = uses.filter((line) => !line.startsWith('uses: ./'));
	for (const line of others) expect(line).toMatch(/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
