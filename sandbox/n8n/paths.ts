import { join } from 'node:path';

/** The repository's root: the package under construction. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** The private package with n8n in its own node_modules. */
export const SANDBOX = join(ROOT, 'sandbox');

/** What may be deleted at any time. Not under version control. */
export const CACHE = join(ROOT, '.cache');

/** n8n's command line: of the newest version, and of the last 1.x. */
export const N8N_BIN = join(SANDBOX, 'node_modules', 'n8n', 'bin', 'n8n');
export const N8N_1_BIN = join(SANDBOX, 'n8n-1.x', 'node_modules', 'n8n', 'bin', 'n8n');

/** What runs in n8n before n8n does. */
export const PRELOADED = join(import.meta.dirname, 'preload.mjs');

/** The name that users install. */
export const PACKAGE_NAME = 'n8n-nodes-messaging-service';
