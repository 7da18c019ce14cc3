/** Deployments without hands: n8n 2.21 and newer installs what its environment names. */
import { listPackages } from '../../sandbox/n8n/communityPackages.ts';
import { PACKAGE_NAME } from '../../sandbox/n8n/paths.ts';
import { START_TIMEOUT_MS } from '../e2e/sandbox.ts';
import { startSite, type Site } from './site.ts';

jest.setTimeout(START_TIMEOUT_MS);

const settings = (packages: Array<{ name: string; version: string }>) => ({
	N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
	N8N_COMMUNITY_PACKAGES: JSON.stringify(packages),
});

let site: Site;

beforeAll(async () => {
	site = await startSite(settings([]));
	site.publishNext();
}, 2 * START_TIMEOUT_MS);

afterAll(() => site?.stop());

const installed = async () =>
	(await listPackages(site.n8n().rest)).map((each) => [each.packageName, each.installedVersion]);

it.each(['present', 'next'] as const)('installs the %s release when it starts', async (which) => {
	const { name, version } = site[which].manifest;

	await site.restart(settings([{ name, version }]));

	expect(await installed()).toEqual([[PACKAGE_NAME, version]]);
});

it('removes it when it is not named any more', async () => {
	await site.restart(settings([]));

	expect(await installed()).toEqual([]);
});
