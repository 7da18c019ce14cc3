import { spawnSync } from 'node:child_process';

/** What stands where an address of the maintainers belongs. */
const PLACEHOLDERS = ['example.com/n8n-nodes-messaging-service', 'maintainers@example.com'];

/** Where such addresses are. */
const PLACES = ['package.json', 'README.md', 'SECURITY.md', 'credentials', 'nodes'];

/** The files that still have a placeholder for an address. */
export function findPlaceholders(root: string): string[] {
	const patterns = PLACEHOLDERS.flatMap((placeholder) => ['-e', placeholder]);
	const args = ['grep', '--no-index', '--files-with-matches', ...patterns, '--', ...PLACES];
	const { stdout, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
	if (error) throw error;
	return stdout.split('\n').filter((file) => file !== '');
}
