import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { N8N_1_BIN, N8N_BIN } from './paths.ts';

interface Version {
	/** The Node.js that runs it. */
	node: string;
	/** n8n's command line. */
	bin: string;
	/** Settings that only this version knows. */
	env: Record<string, string>;
}

/**
 * Parts of n8n that have nothing to do with nodes, and take a fifth of its start. With `instance-ai`, n8n would begin with
 * a page about its assistant, in place of the workflows.
 */
const SIDE_MODULES = ['agents', 'chat-hub', 'instance-ai', 'mcp', 'mcp-registry'];

/** The n8n that the package is tested on, by major version. */
const VERSIONS = {
	'2': { node: process.execPath, bin: N8N_BIN, env: { N8N_DISABLED_MODULES: SIDE_MODULES.join() } },
	// Without a pool it mixes up the transactions of requests that come at the same time.
	'1': {
		// Old versions of n8n refuse a new Node.js.
		node: process.env.SANDBOX_N8N_1_NODE ?? process.execPath,
		bin: N8N_1_BIN,
		env: { DB_SQLITE_POOL_SIZE: '3' },
	},
} satisfies Record<string, Version>;

const isVersion = (value: string): value is keyof typeof VERSIONS => value in VERSIONS;

const { SANDBOX_N8N_VERSION: version = '2' } = process.env;
if (!isVersion(version)) {
	const all = Object.keys(VERSIONS).join(', ');
	throw new Error(`SANDBOX_N8N_VERSION is one of ${all}, not "${version}".`);
}

/** The n8n that runs: the newest, unless the environment names another. */
export const chosenN8n: Version = VERSIONS[version];

/** Whether it is n8n 1.x. */
export const isN8n1 = version === '1';

/** The version of the package in a folder. */
export async function readPackageVersion(folder: string): Promise<string> {
	return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).version;
}
