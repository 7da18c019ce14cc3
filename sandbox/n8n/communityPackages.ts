import type { RestClient } from './rest.ts';

const PATH = '/rest/community-packages';

/** A package as the page "Settings > Community nodes" lists it. */
export interface CommunityPackage {
	packageName: string;
	installedVersion: string;
	/** The newer version that the registry has, if it has one. */
	updateAvailable?: string;
}

export interface PackageVersion {
	name: string;
	version: string;
}

/** The packages that were installed on that page; others that n8n loads are not among them. */
export async function listPackages(rest: RestClient): Promise<CommunityPackage[]> {
	return await rest.get(PATH);
}

/** Has n8n install a package from the registry. It can be used at once. */
export async function installPackageFromRegistry(
	rest: RestClient,
	wanted: PackageVersion,
): Promise<CommunityPackage> {
	return await rest.post(PATH, wanted);
}

/** Has n8n put another version of an installed package in place of the present one. */
export async function updatePackageFromRegistry(
	rest: RestClient,
	wanted: PackageVersion,
): Promise<CommunityPackage> {
	return await rest.patch(PATH, wanted);
}

/** Has n8n remove an installed package. */
export async function uninstallPackage(rest: RestClient, name: string): Promise<void> {
	await rest.delete(`${PATH}?name=${encodeURIComponent(name)}`);
}
