import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { packPackage } from '../../sandbox/n8n/packageInstall.ts';
import { ROOT, SANDBOX } from '../../sandbox/n8n/paths.ts';
import { interleave } from '../measure.ts';
import { compare, type Findings, type PackageFigures } from '../results.ts';
import type { CaseContext } from './context.ts';

const run = promisify(execFile);

const ROUNDS = 10;

const NODE_FILE = join(ROOT, 'dist', 'nodes', 'MessagingService', 'MessagingService.node.js');
const HTTP_REQUEST_FILE = join(
	...[SANDBOX, 'node_modules', 'n8n-nodes-base', 'dist', 'nodes'],
	...['HttpRequest', 'HttpRequest.node.js'],
);

/** In n8n, `n8n-workflow` is there before any node; so it is here, in the copy that the file sees. */
const SCRIPT = `
	const { createRequire } = require('node:module');
	const [file] = process.argv.slice(1);
	createRequire(file)('n8n-workflow');
	const start = performance.now();
	require(file);
	console.log(performance.now() - start);
`;

/** How long n8n takes to load the node, and how large the package is. */
export async function measureLoad({ signal, progress }: CaseContext): Promise<Partial<Findings>> {
	const what = 'Load the node';
	const load = (file: string) => async () => {
		signal.throwIfAborted();
		const { stdout } = await run(process.execPath, ['-e', SCRIPT, file]);
		return Number(stdout);
	};
	const [node = [], httpRequest = []] = await interleave(
		[load(NODE_FILE), load(HTTP_REQUEST_FILE)],
		ROUNDS,
		(round) => progress(`${what}: ${round}`),
	);
	const comparison = compare({ case: 'load', what, unit: 'ms' }, [node, httpRequest]);
	return { comparisons: [comparison], package: await readPackage() };
}

async function readPackage(): Promise<PackageFigures> {
	const folder = await mkdtemp(join(tmpdir(), 'bench-pack-'));
	try {
		const { size, unpackedSize, files } = await packPackage(folder);
		return { packedBytes: size, unpackedBytes: unpackedSize, files: files.length };
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
