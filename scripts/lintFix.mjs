// Corrects what n8n's linter and the formatter can correct by themselves: `npm run lint:fix`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { ROOT } from './setup/paths.mjs';

const STEPS = [
	['@n8n/node-cli/bin/n8n-node.mjs', 'lint', '--fix'],
	['prettier/bin/prettier.cjs', '--write', '--log-level=warn', '.'],
];
// Tests, sandbox and scripts have settings of their own in their folders.
const env = { ...process.env, ESLINT_FLAGS: 'v10_config_lookup_from_file' };

for (const [script, ...args] of STEPS) {
	const path = join(ROOT, 'node_modules', script);
	const { status } = spawnSync(process.execPath, [path, ...args], {
		cwd: ROOT,
		env,
		stdio: 'inherit',
	});
	if (status !== 0) process.exitCode = 1;
}
