/**
 * Beside the package lies an `n8n-workflow` of another version than n8n's own. npm puts it there when
 * any package is installed by hand without `--legacy-peer-deps`.
 */
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { installPackage } from '../../sandbox/n8n/packageInstall.ts';
import { N8N_1_BIN, N8N_BIN } from '../../sandbox/n8n/paths.ts';
import { defaultVersion } from '../../sandbox/n8n/versions.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { START_TIMEOUT_MS, startSandbox, type Sandbox } from '../e2e/sandbox.ts';

jest.setTimeout(START_TIMEOUT_MS);

const OTHER_N8N = { '1': N8N_BIN, '2': N8N_1_BIN };
const [webhookId = ''] = seeded.demo.webhookIds;

let userFolder: string;
let sandbox: Sandbox;

beforeAll(async () => {
	userFolder = await mkdtemp(join(tmpdir(), 'n8n-second-'));
	await installPackage(userFolder, 'packed');
	const packages = join(dirname(OTHER_N8N[defaultVersion()]), '..', '..');
	const place = join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-workflow');
	await symlink(join(packages, 'n8n-workflow'), place, 'junction');
	sandbox = await startSandbox({ n8n: { userFolder, package: 'kept' } });
}, START_TIMEOUT_MS);

afterAll(async () => {
	await sandbox?.stop();
	await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
});

const invoke = (id: string) =>
	sandbox.action('Text', {
		resource: 'pipeline',
		operation: 'invokeWebhook',
		webhookId: { __rl: true, mode: 'id', value: id },
		phone: '+15555550120',
	});

it('works', async () => {
	const { execution, items } = await sandbox.runWorkflow([invoke(webhookId)]);

	expect(execution.status).toBe('success');
	expect(items('Text')).toEqual([
		{ json: expect.objectContaining({ accepted: true }), pairedItem: { item: 0 } },
	]);
});

it('says what went wrong as it does otherwise', async () => {
	const { execution } = await sandbox.runWorkflow([invoke('00000000-0000-4000-8000-000000000000')]);

	expect(execution.status).toBe('error');
	expect(execution.error).toMatchObject({
		message: expect.stringContaining('webhook'),
		description: expect.stringMatching(/team/),
		context: { itemIndex: 0 },
	});
});
