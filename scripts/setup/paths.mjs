import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root. (`import.meta.dirname` would need a newer Node.js than the set-up may ask for.) */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The private package that brings n8n. */
export const SANDBOX = join(ROOT, 'sandbox');

/** The private package that brings the last n8n 1.x. */
export const SANDBOX_1 = join(SANDBOX, 'n8n-1.x');

/** What may be deleted at any time. */
export const CACHE = join(ROOT, '.cache');

/** The Node.js that n8n needs, whatever the machine itself has. */
export const NODE = join(ROOT, 'node_modules', '.bin', 'node');

/** Has the linter take the settings of tests, sandbox and scripts from their own folders. */
export const LINT_ENV = { ESLINT_FLAGS: 'v10_config_lookup_from_file' };
