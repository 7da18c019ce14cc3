import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** What stands where an address of the maintainers belongs. */
const PLACEHOLDERS = ['example.com/n8n-nodes-messaging-service', 'maintainers@example.com'];

/** Where such addresses are. */
const PLACES = ['package.json', 'README.md', 'SECURITY.md', 'credentials', 'nodes'];

async function filesAt(path: string): Promise<string[]> {
	if ((await stat(path)).isFile()) return [path];
	const entries = await readdir(path, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name));
}

/** The files that still have a placeholder for an address. */
export async function findPlaceholders(root: string): Promise<string[]> {
	const files = (await Promise.all(PLACES.map((place) => filesAt(join(root, place))))).flat();
	const found: string[] = [];
	for (const file of files) {
		const text = await readFile(file, 'utf8');
		if (PLACEHOLDERS.some((placeholder) => text.includes(placeholder))) {
			found.push(relative(root, file));
		}
	}
	return found;
}
