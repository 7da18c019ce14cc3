/** The package, packed as it goes to the registry, installed, updated and removed as its users do it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import {
	installPackageFromRegistry,
	listPackages,
	uninstallPackage,
	updatePackageFromRegistry,
} from '../../sandbox/n8n/communityPackages.ts';
import type { Flow } from '../../sandbox/n8n/flow.ts';
import type { N8n } from '../../sandbox/n8n/index.ts';
import { ACTION_TYPE, TRIGGER_TYPE } from '../../sandbox/n8n/nodeTypes.ts';
import { PACKAGE_NAME } from '../../sandbox/n8n/paths.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { connect } from '../../sandbox/n8n/sandbox.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { startService, type Service } from '../../sandbox/service/service.ts';
import { callTrigger } from '../e2e/events.ts';
import { invoking } from '../e2e/texting.ts';
import { NEXT_NAME, type Release } from './release.ts';
import { createSite, type Site } from './site.ts';

jest.setTimeout(2 * START_TIMEOUT_MS);

/** Has n8n 2.21 and newer install a release by itself, as deployments without hands do. */
const namedByEnvironment = ({ manifest: { name, version } }: Release) => ({
	N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
	N8N_COMMUNITY_PACKAGES: JSON.stringify([{ name, version }]),
});

describe('The package', () => {
	let site: Site;
	let n8n: N8n;
	let service: Service;
	let onEvent: Flow;
	let onSchedule: Flow;

	const rest = () => n8n.rest;
	const accepted = () => service.accepted().map(({ body }) => body.phone);
	const scheduled = () =>
		service.received().filter(({ operationId }) => operationId === 'message.getAll').length;

	/** What the editor calls a node of this package; the error of n8n where it is not there. */
	const nameOf = async (name: string) =>
		await rest()
			.post<Array<{ displayName: string }>>('/rest/node-types', {
				nodeInfos: [{ name, version: 1 }],
			})
			.then(
				([type]) => type?.displayName,
				({ message }: Error) => message,
			);

	/** Lets the service report an event, and gives the status of n8n's answer. */
	const report = async (phone: string) =>
		(await callTrigger(onEvent, { body: JSON.stringify({ phone }) })).status;

	/** Both workflows run by themselves: the one on events, the other on a schedule. */
	async function expectBothToRun(phone: string): Promise<void> {
		await until('an event is taken', async () => (await report(phone)) === 200);
		await until('the lead is texted', () => accepted().includes(phone));
		const before = scheduled();
		await until('the schedule ran twice', () => scheduled() >= before + 2);
		expect(accepted().filter((each) => each === phone)).toHaveLength(1);
	}

	beforeAll(async () => {
		service = await startService({ messages: 0, agent: { enabled: false } });
		site = await createSite();
		n8n = await site.startN8n();
	});

	afterAll(async () => {
		await n8n?.close();
		await site?.remove();
		await service?.close();
	});

	it('is installed alone on the page "Settings > Community nodes", and both nodes are there', async () => {
		const { name, version } = site.present.manifest;
		await installPackageFromRegistry(rest(), { name, version });
		expect(await nameOf(ACTION_TYPE)).toBe('Messaging Service');
		expect(await nameOf(TRIGGER_TYPE)).toBe('Messaging Service Trigger');
		const folder = join(site.nodesFolder, 'node_modules');
		const packages = (await readdir(folder)).filter((name) => !name.startsWith('.'));
		expect(packages).toEqual([PACKAGE_NAME]);
		expect(await readdir(join(folder, PACKAGE_NAME))).not.toContain('node_modules');
		const listed = await listPackages(rest());
		expect(listed).toMatchObject([{ packageName: PACKAGE_NAME, installedVersion: version }]);
	});

	it('is used in workflows that run by themselves', async () => {
		const { activate, trigger, action } = await connect(service, n8n);
		onEvent = await activate([
			trigger({ registration: 'manual', verification: 'none' }),
			action('Text', invoking({ phone: '={{ $json.phone }}' })),
		]);
		onSchedule = await activate([
			{
				name: 'Every second',
				type: 'n8n-nodes-base.scheduleTrigger',
				parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 1 }] } },
			},
			action('Read', { resource: 'message', operation: 'getAll' }),
		]);

		await expectBothToRun('+15555550101');
	});

	it('is updated, and the workflows keep running', async () => {
		site.registry.publish(site.next);

		const { name, version } = site.next.manifest;
		expect(await listPackages(rest())).toMatchObject([{ updateAvailable: version }]);
		await updatePackageFromRegistry(rest(), { name, version });

		expect(await nameOf(ACTION_TYPE)).toBe(NEXT_NAME);
		await expectBothToRun('+15555550102');
	});

	it('is removed: events are refused, and n8n says which node is missing', async () => {
		await uninstallPackage(rest(), PACKAGE_NAME);

		expect(await nameOf(ACTION_TYPE)).toContain('Unrecognized node type');
		expect(await listPackages(rest())).toEqual([]);
		expect(await report('+15555550104')).toBeGreaterThanOrEqual(400);
		const problem = await onSchedule.run().then(
			({ error }) => error?.message,
			({ message }: Error) => message,
		);
		expect(problem).toContain(ACTION_TYPE);
	});

	it('is put back by the environment of n8n: workflows and the credential are still there', async () => {
		await n8n.restart({ ...site.env, ...namedByEnvironment(site.next) });

		expect(await nameOf(ACTION_TYPE)).toBe(NEXT_NAME);
		await expectBothToRun('+15555550105');
		expect(accepted()).not.toContain('+15555550104');
	});
});
