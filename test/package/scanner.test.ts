/** What n8n's scanner for community packages finds, which decides whether n8n verifies the package. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from '../../sandbox/n8n/paths.ts';
import { packAndUnpack, type Unpacked } from './unpacked.ts';

const run = promisify(execFile);

const TIMEOUT_MS = 120_000;

let unpacked: Unpacked;

beforeAll(async () => {
	unpacked = await packAndUnpack();
}, TIMEOUT_MS);

afterAll(() => unpacked?.remove());

async function scan(folder: string, what: 'sources' | 'package') {
	const script = join(import.meta.dirname, 'scan.mjs');
	// Without the settings of the linter here: the scanner has one of its own.
	const env = { PATH: process.env.PATH };
	const { stdout } = await run(process.execPath, [script, folder, what], { env });
	return JSON.parse(stdout);
}

test.each([
	['the sources', 'sources', () => ROOT],
	['the package', 'package', () => unpacked.folder],
] as const)(
	'it finds nothing in %s',
	async (_, what, folder) => {
		expect(await scan(folder(), what)).toEqual({ passed: true });
	},
	TIMEOUT_MS,
);
