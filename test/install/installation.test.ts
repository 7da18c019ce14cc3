/** The package, packed as it goes to the registry, installed, updated and removed as its users do it. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { prepareDatabase } from '../../sandbox/n8n/database.ts';
import type { Flow } from '../../sandbox/n8n/flow.ts';
import { START_TIMEOUT_MS, startN8n, type N8n } from '../../sandbox/n8n/index.ts';
import { ACTION_TYPE, TRIGGER_TYPE } from '../../sandbox/n8n/nodeTypes.ts';
import { PACKAGE_NAME } from '../../sandbox/n8n/paths.ts';
import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import { connect, NO_CODE_NODES } from '../../sandbox/n8n/sandbox.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { startService, type Service } from '../../sandbox/service/service.ts';
import { callTrigger } from '../e2e/events.ts';
import { starting } from '../e2e/texting.ts';
import { packRelease, type Release } from '../package/pack.ts';
import { createNpm, startRegistry, type Registry } from './registry.ts';

jest.setTimeout(2 * START_TIMEOUT_MS);

/** What the page "Settings > Community nodes" calls: to list what was installed there, to install, update and remove. */
const PAGE = '/rest/community-packages';

const NODE = join('dist', 'nodes', 'MessagingService', 'MessagingService.node.js');
const NAME = 'Messaging Service';
/** What the node is called in the next release. */
const NEXT_NAME = `${NAME} (next)`;

/** Packs the release that could follow: its version is higher, and its node has another name. */
async function packNextRelease({ folder, manifest }: Release, work: string): Promise<Release> {
	const source = join(work, 'source');
	await cp(folder, source, { recursive: true });
	const version = manifest.version.replace(/\d+$/, (patch) => String(Number(patch) + 1));
	await writeFile(join(source, 'package.json'), JSON.stringify({ ...manifest, version }));
	const node = await readFile(join(source, NODE), 'utf8');
	await writeFile(join(source, NODE), node.replace(`'${NAME}'`, `'${NEXT_NAME}'`));
	return await packRelease(work, source);
}

/** Has n8n 2.21 and newer install a release by itself, as deployments without hands do. */
const namedByEnvironment = ({ manifest: { name, version } }: Release) => ({
	N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
	N8N_COMMUNITY_PACKAGES: JSON.stringify([{ name, version }]),
});

describe('The package', () => {
	let home: string;
	let registry: Registry;
	let present: Release;
	let next: Release;
	/** Settings that keep n8n to the registry. */
	let env: Record<string, string>;
	let n8n: N8n;
	let service: Service;
	let onEvent: Flow;

	const rest = () => n8n.rest;
	const accepted = () => service.accepted().map(({ body }) => body.phone);

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

	/** The workflow runs by itself when an event comes. */
	async function expectToRun(phone: string): Promise<void> {
		await until('an event is taken', async () => (await report(phone)) === 200);
		await until('the lead is texted', () => accepted().includes(phone));
	}

	beforeAll(async () => {
		service = await startService({ messages: 0, agent: { enabled: false } });
		home = await mkdtemp(join(tmpdir(), 'n8n-home-'));
		const work = join(home, 'work');
		await mkdir(work);
		present = await packRelease(work);
		next = await packNextRelease(present, work);
		registry = await startRegistry();
		registry.publish(present);
		env = {
			...NO_CODE_NODES,
			N8N_DISABLE_UI: 'true',
			PATH: await createNpm(work, registry),
			// n8n asks its own server about a package, and the public registry past npm: neither is there.
			HTTPS_PROXY: `http://${LOOPBACK}:${await findFreePort()}`,
			NO_PROXY: LOOPBACK,
		};
		await prepareDatabase(home);
		n8n = await startN8n({ userFolder: home, package: 'kept', env });
	});

	afterAll(async () => {
		await n8n?.close();
		registry?.close();
		await rm(home, { recursive: true, force: true, maxRetries: 5 });
		await service?.close();
	});

	it('is installed alone on the page "Settings > Community nodes", and both nodes are there', async () => {
		const { name, version } = present.manifest;
		await rest().post(PAGE, { name, version });
		expect(await nameOf(ACTION_TYPE)).toBe(NAME);
		expect(await nameOf(TRIGGER_TYPE)).toBe('Messaging Service Trigger');
		const folder = join(home, '.n8n', 'nodes', 'node_modules');
		const packages = (await readdir(folder)).filter((name) => !name.startsWith('.'));
		expect(packages).toEqual([PACKAGE_NAME]);
		expect(await readdir(join(folder, PACKAGE_NAME))).not.toContain('node_modules');
		expect(await rest().get(PAGE)).toMatchObject([
			{ packageName: PACKAGE_NAME, installedVersion: version },
		]);
	});

	it('is used in a workflow that runs by itself', async () => {
		const { activate, trigger, action } = await connect(service, n8n);
		onEvent = await activate([
			trigger({ registration: 'manual', verification: 'none' }),
			action('Text', starting({ phone: '={{ $json.phone }}' })),
		]);
		await expectToRun('+15555550101');
	});

	it('is updated, and the workflows keep running', async () => {
		registry.publish(next);

		const { name, version } = next.manifest;
		expect(await rest().get(PAGE)).toMatchObject([{ updateAvailable: version }]);
		await rest().patch(PAGE, { name, version });

		expect(await nameOf(ACTION_TYPE)).toBe(NEXT_NAME);
		await expectToRun('+15555550102');
	});

	it('is removed: events are refused', async () => {
		await rest().delete(`${PAGE}?name=${PACKAGE_NAME}`);

		expect(await nameOf(ACTION_TYPE)).toContain('Unrecognized node type');
		expect(await rest().get(PAGE)).toEqual([]);
		expect(await report('+15555550104')).toBeGreaterThanOrEqual(400);
	});

	it('is put back by the environment of n8n: workflows and the credential are still there', async () => {
		await n8n.stop();
		await n8n.start({ ...env, ...namedByEnvironment(next) });

		expect(await nameOf(ACTION_TYPE)).toBe(NEXT_NAME);
		await expectToRun('+15555550105');
		expect(accepted()).not.toContain('+15555550104');
	});
});
