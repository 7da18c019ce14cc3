// Gets a release ready: `npm run release -- 0.2.0`. It sets the version and its date, commits and tags. Nothing leaves
// this machine: pushing the tag publishes.
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const CHANGELOG = join(ROOT, 'CHANGELOG.md');

const run = (program: string, ...args: string[]) =>
	execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32' });

async function prepare(version: string): Promise<void> {
	if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
		throw new Error('Usage: npm run release -- <version>, such as 0.2.0');
	}
	if (run('git', 'branch', '--show-current').trim() !== 'main') throw new Error('Switch to main.');
	if (run('git', 'status', '--porcelain') !== '') throw new Error('Commit your changes first.');
	const changelog = await readFile(CHANGELOG, 'utf8');
	const heading = `## ${version} - unreleased`;
	if (!changelog.includes(`${heading}\n`)) throw new Error(`CHANGELOG.md has no "${heading}".`);
	const today = new Date().toISOString().slice(0, 10);
	await writeFile(CHANGELOG, changelog.replace(heading, `## ${version} - ${today}`));
	run('npm', 'version', '--no-git-tag-version', '--allow-same-version', version);
	run('git', 'commit', '--all', '--message', version);
	run('git', 'tag', version);
	console.log(`${version} is committed and tagged. To publish it:
  git push --atomic origin main ${version}`);
}

try {
	await prepare(process.argv[2] ?? '');
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
