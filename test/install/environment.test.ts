/** Deployments without hands: n8n 2.21 and newer installs what its environment names. */
import { listPackages } from '../../sandbox/n8n/communityPackages.ts';
import type { N8n } from '../../sandbox/n8n/index.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { createSite, type Site } from './site.ts';

jest.setTimeout(2 * START_TIMEOUT_MS);

let site: Site;
let n8n: N8n | undefined;

beforeAll(async () => {
	site = await createSite();
});

afterAll(async () => {
	await n8n?.close();
	await site?.remove();
});

test('n8n has the release that its environment names', async () => {
	const { name, version } = site.present.manifest;
	const packages = [{ name, version }];
	const settings = {
		N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
		N8N_COMMUNITY_PACKAGES: JSON.stringify(packages),
		N8N_DISABLE_UI: 'true',
	};
	n8n = await site.startN8n(settings);

	const installed = await listPackages(n8n.rest);
	expect(
		installed.map(({ packageName, installedVersion }) => ({
			name: packageName,
			version: installedVersion,
		})),
	).toEqual(packages);
});
