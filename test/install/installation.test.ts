/** The package, packed as it goes to the registry, installed, updated and removed as its users do it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { CREDENTIAL_TYPE } from '../../sandbox/demo/runExamples.ts';
import {
	installPackageFromRegistry,
	listPackages,
	uninstallPackage,
	updatePackageFromRegistry,
} from '../../sandbox/n8n/communityPackages.ts';
import { createCredential } from '../../sandbox/n8n/credentials.ts';
import { runManually } from '../../sandbox/n8n/executions.ts';
import { listNodeTypes } from '../../sandbox/n8n/nodeTypes.ts';
import { PACKAGE_NAME } from '../../sandbox/n8n/paths.ts';
import {
	activateWorkflow,
	chain,
	createWorkflow,
	deactivateWorkflow,
	type StoredWorkflow,
} from '../../sandbox/n8n/workflows.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { ACTION_TYPE, START_TIMEOUT_MS } from '../e2e/sandbox.ts';
import { NEXT_NAME, type Release } from './release.ts';
import { startSite, type Site } from './site.ts';
import { until } from './until.ts';

jest.setTimeout(2 * START_TIMEOUT_MS);

const TRIGGER_TYPE = `${PACKAGE_NAME}.messagingServiceTrigger`;
const EVENTS = 'events-of-the-service';
const [webhookId = ''] = seeded.demo.webhookIds;

interface Way {
	install(site: Site, release: Release): Promise<void>;
	update(site: Site, release: Release): Promise<void>;
	remove(site: Site): Promise<void>;
	/** Whether n8n notices at its next start only. */
	needsRestart: boolean;
}

const settingsPage: Way = {
	async install({ n8n }, { manifest: { name, version } }) {
		await installPackageFromRegistry(n8n().rest, { name, version });
	},
	async update({ n8n }, { manifest: { name, version } }) {
		expect(await listPackages(n8n().rest)).toMatchObject([{ updateAvailable: version }]);
		await updatePackageFromRegistry(n8n().rest, { name, version });
	},
	async remove({ n8n }) {
		await uninstallPackage(n8n().rest, PACKAGE_NAME);
	},
	needsRestart: false,
};

const commandLine: Way = {
	async install({ shell }, { manifest: { name } }) {
		await shell(`
			mkdir -p ~/.n8n/nodes
			cd ~/.n8n/nodes
			npm install --legacy-peer-deps ${name}
		`);
	},
	async update({ shell }, { manifest: { name } }) {
		await shell(`cd ~/.n8n/nodes && npm install --legacy-peer-deps ${name}@latest`);
	},
	async remove({ shell }) {
		await shell(`cd ~/.n8n/nodes && npm uninstall --legacy-peer-deps ${PACKAGE_NAME}`);
	},
	needsRestart: true,
};

describe.each([
	['the page "Settings > Community nodes"', settingsPage],
	['the command line', commandLine],
])('by %s', (_, way) => {
	let site: Site;
	let onEvent: StoredWorkflow;
	let onSchedule: StoredWorkflow;

	const rest = () => site.n8n().rest;
	const accepted = () => site.service.accepted().map(({ body }) => body.phone);
	const scheduled = () => site.service.counts().byOperation['message.getAll'] ?? 0;

	/** The names in the editor of what n8n has of this package. */
	async function names(): Promise<Record<string, string>> {
		const types = await listNodeTypes(rest());
		const own = types.filter(({ name }) => name.startsWith(PACKAGE_NAME));
		return Object.fromEntries(own.map(({ name, displayName }) => [name, displayName]));
	}

	async function install(release: Release): Promise<void> {
		await way.install(site, release);
		if (way.needsRestart) await site.restart();
	}

	/** Lets the service report an event, and gives the status of n8n's answer. */
	async function report(phone: string): Promise<number> {
		const { status } = await fetch(`${site.n8n().url}/webhook/${EVENTS}/webhook`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ phone }),
		});
		return status;
	}

	/** Both workflows run by themselves: the one on events, the other on a schedule. */
	async function expectBothToRun(phone: string): Promise<void> {
		await until('an event is taken', async () => (await report(phone)) === 200);
		await until('the lead is texted', () => accepted().includes(phone));
		const before = scheduled();
		await until('the schedule ran twice', () => scheduled() >= before + 2);
		expect(accepted().filter((each) => each === phone)).toHaveLength(1);
	}

	beforeAll(async () => {
		site = await startSite();
	}, 2 * START_TIMEOUT_MS);

	afterAll(() => site?.stop());

	it('installs the package alone, and both nodes are there', async () => {
		expect(await names()).toEqual({});

		await install(site.present);

		expect(await names()).toMatchObject({
			[ACTION_TYPE]: 'Messaging Service',
			[TRIGGER_TYPE]: 'Messaging Service Trigger',
		});
		const folder = join(site.nodesFolder, 'node_modules');
		const packages = (await readdir(folder)).filter((name) => !name.startsWith('.'));
		expect(packages).toEqual([PACKAGE_NAME]);
		expect(await readdir(join(folder, PACKAGE_NAME))).not.toContain('node_modules');
		// n8n lists what was installed on its page.
		const packageName = PACKAGE_NAME;
		const { version: installedVersion } = site.present.manifest;
		const listed = await listPackages(rest());
		expect(listed).toMatchObject(way.needsRestart ? [] : [{ packageName, installedVersion }]);
	});

	it('is used in workflows that run by themselves', async () => {
		const stored = await createCredential(rest(), {
			name: 'Stand-in',
			type: CREDENTIAL_TYPE,
			data: { baseUrl: site.service.url, apiKey: seeded.demo.apiKey },
		});
		const credentials = { [CREDENTIAL_TYPE]: { ...stored } };
		onEvent = await createWorkflow(
			rest(),
			chain('On an event', [
				{
					name: 'Event',
					type: TRIGGER_TYPE,
					parameters: { registration: 'manual', verification: 'none' },
					credentials,
					webhookId: EVENTS,
				},
				{
					name: 'Text',
					type: ACTION_TYPE,
					parameters: {
						resource: 'pipeline',
						operation: 'invokeWebhook',
						webhookId: { __rl: true, mode: 'id', value: webhookId },
						phone: '={{ $json.phone }}',
					},
					credentials,
				},
			]),
		);
		onSchedule = await createWorkflow(
			rest(),
			chain('On a schedule', [
				{
					name: 'Every second',
					type: 'n8n-nodes-base.scheduleTrigger',
					parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 1 }] } },
				},
				{
					name: 'Read',
					type: ACTION_TYPE,
					parameters: { resource: 'message', operation: 'getAll' },
					credentials,
				},
			]),
		);
		for (const workflow of [onEvent, onSchedule]) await activateWorkflow(rest(), workflow);

		await expectBothToRun('+15555550101');
	});

	it('is updated, and the workflows keep running', async () => {
		site.publishNext();

		await way.update(site, site.next);

		if (!way.needsRestart) {
			expect(await names()).toMatchObject({ [ACTION_TYPE]: NEXT_NAME });
			await expectBothToRun('+15555550102');
		}
		await site.restart();
		expect(await names()).toMatchObject({ [ACTION_TYPE]: NEXT_NAME });
		await expectBothToRun('+15555550103');
	});

	it('is removed: n8n starts without it, refuses events, and says which node is missing', async () => {
		await way.remove(site);
		await site.restart();

		expect(await names()).toEqual({});
		expect(await listPackages(rest())).toEqual([]);
		expect(await report('+15555550104')).toBeGreaterThanOrEqual(400);
		const problem = await runManually(rest(), onSchedule, 'Every second').then(
			({ error }) => error?.message,
			({ message }: Error) => message,
		);
		expect(problem).toContain(ACTION_TYPE);
	});

	it('is put back: workflows and the credential are still there', async () => {
		await install(site.next);
		// n8n 2.x took the schedule down when it started without the node.
		for (const workflow of [onEvent, onSchedule]) {
			await deactivateWorkflow(rest(), workflow.id);
			await activateWorkflow(rest(), workflow);
		}

		await expectBothToRun('+15555550105');
		expect(accepted()).not.toContain('+15555550104');
	});
});
