// Rewrites README.md for npm's page, where links to other files of the repository lead nowhere:
// `node npmReadme.ts <tag>`. It needs nothing installed but Node.js 24.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const README = join(ROOT, 'README.md');

/** A link or picture in Markdown: whether it is a picture, its text, and where it leads. */
const LINK = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

const ELSEWHERE = /^(?:[a-z]+:|#)/i;

/**
 * A page of the repository with links that work anywhere: those to other files lead to the files of a version.
 *
 * @param repository `repository.url` of package.json
 * @param ref tag, branch or commit
 */
function withAbsoluteLinks(page: string, repository: string, ref: string): string {
	const home = repository.replace(/^git\+/, '').replace(/\.git$/, '');
	return page.replace(LINK, (link, picture: string, text: string, target: string) => {
		if (ELSEWHERE.test(target)) return link;
		const inner = picture ? text : withAbsoluteLinks(text, repository, ref);
		return `${picture}[${inner}](${home}/${picture ? 'raw' : 'blob'}/${ref}/${target})`;
	});
}

const [tag] = process.argv.slice(2);
if (!tag) throw new Error('Usage: node npmReadme.ts <tag>');
const { repository } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
await writeFile(README, withAbsoluteLinks(await readFile(README, 'utf8'), repository.url, tag));
