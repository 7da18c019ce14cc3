/**
 * Beside the package lies an `n8n-workflow` of another version than n8n's own. npm puts it there when
 * any package is installed by hand without `--legacy-peer-deps`.
 */
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import { installPackage } from '../../sandbox/n8n/packageInstall.ts';
import { N8N_1_BIN, N8N_BIN } from '../../sandbox/n8n/paths.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { defaultVersion } from '../../sandbox/n8n/versions.ts';
import { byId } from '../../sandbox/operations.ts';
import { invoking } from '../e2e/texting.ts';

jest.setTimeout(START_TIMEOUT_MS);

const OTHER_N8N = { '1': N8N_BIN, '2': N8N_1_BIN };

let userFolder: string;
let sandbox: Sandbox;

beforeAll(async () => {
	userFolder = await mkdtemp(join(tmpdir(), 'n8n-second-'));
	await installPackage(userFolder);
	const packages = join(dirname(OTHER_N8N[defaultVersion()]), '..', '..');
	const place = join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-workflow');
	await symlink(join(packages, 'n8n-workflow'), place, 'junction');
	sandbox = await startSandbox({ n8n: { userFolder, package: 'kept' } });
}, START_TIMEOUT_MS);

afterAll(async () => {
	await sandbox?.stop();
	await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
});

const text = (more?: INodeParameters) =>
	sandbox.run([sandbox.action('Text', invoking({ phone: '+15555550120', ...more }))]);

it('works', async () => {
	const { status, items } = await text();

	expect(status).toBe('success');
	expect(items()).toEqual([
		{ json: expect.objectContaining({ accepted: true }), pairedItem: { item: 0 } },
	]);
});

it('says what went wrong as it does otherwise', async () => {
	const { status, error } = await text({
		webhookId: byId('00000000-0000-4000-8000-000000000000'),
	});

	expect(status).toBe('error');
	expect(error).toMatchObject({
		message: expect.stringContaining('webhook'),
		description: expect.stringMatching(/team/),
		context: { itemIndex: 0 },
	});
});
