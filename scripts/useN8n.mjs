// Puts another version of n8n into the sandbox, or into sandbox/n8n-1.x, without its lock file:
// `node scripts/useN8n.mjs sandbox latest`. For the weekly tests; `git checkout sandbox` takes it back.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from './setup/paths.mjs';

function npm(cwd, ...args) {
	const shell = process.platform === 'win32';
	const { status } = spawnSync('npm', args, { cwd, shell, stdio: 'inherit' });
	if (status !== 0) throw new Error(`npm ${args.join(' ')} failed`);
}

const [place, version] = process.argv.slice(2);
if (!place || !version) throw new Error('Usage: node scripts/useN8n.mjs <folder> <version>');
const folder = join(ROOT, place);
const file = join(folder, 'package.json');
const manifest = JSON.parse(readFileSync(file, 'utf8'));
manifest.dependencies.n8n = version;
// They mend the resolution of the version that is there.
delete manifest.overrides;
writeFileSync(file, `${JSON.stringify(manifest, null, '\t')}\n`);
for (const name of ['package-lock.json', 'node_modules']) {
	rmSync(join(folder, name), { recursive: true, force: true });
}
// What it names is installed when tests need it.
npm(folder, 'install', '--package-lock-only', '--no-audit', '--no-fund');
