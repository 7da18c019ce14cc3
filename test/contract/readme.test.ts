/** That the documentation is short, and that all of it is found. */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { targetsOf } from '../../scripts/release/links.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const pages = globSync('docs/**/*.md', { cwd: root }).sort();
const everywhere = [...globSync('{*,examples/*}.md', { cwd: root }), ...pages];

/** The files that a page links or shows, by their paths in the repository. */
function linkedFrom(page: string): string[] {
	return targetsOf(read(page))
		.filter((target) => !target.includes(':') && !target.startsWith('#'))
		.map((target) => posix.join(posix.dirname(page), target.split('#', 1)[0] ?? ''));
}

test('the README fits on a page', () => {
	const text = read('README.md');

	expect(text.split('\n').length - 1).toBeLessThanOrEqual(170);
	expect(text.match(/[\p{L}\p{N}][^\s|]*/gu)?.length).toBeLessThanOrEqual(1_300);
	expect(text.match(/!\[/g)?.length).toBeLessThanOrEqual(4);
});

test.each(pages)('%s has at most 200 lines', (page) => {
	expect(read(page).split('\n').length - 1).toBeLessThanOrEqual(200);
});

test('the README links every page, those for developers by their list', () => {
	const linked = [...linkedFrom('README.md'), ...linkedFrom('docs/development/README.md')];

	expect(pages.filter((page) => !linked.includes(page))).toEqual([]);
});

test('every picture is shown, with words for those who cannot see it', () => {
	const pictures = globSync('docs/images/*', { cwd: root });
	const shown = everywhere.flatMap(linkedFrom);

	expect(pictures.filter((picture) => !shown.includes(picture))).toEqual([]);
	for (const page of everywhere) expect([page, /!\[\s*\]/.test(read(page))]).toEqual([page, false]);
});

test('the help of nodes and credential leads to sections of the README', () => {
	const sections = [...read('README.md').matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
		title.toLowerCase().replaceAll(' ', '-'),
	);
	const files = globSync('{credentials/*.ts,nodes/*/*.node.json}', { cwd: root });
	const anchors = files.flatMap((file) =>
		[...read(file).matchAll(/n8n-nodes-messaging-service#([\w-]+)/g)].map(([, anchor]) => anchor),
	);

	expect(anchors.length).toBeGreaterThan(3);
	expect(sections).toEqual(expect.arrayContaining(anchors));
});

/** The lines of each block of code that names its file, without those that only end something. */
const excerpts = [...read('CONTRIBUTING.md').matchAll(/```\w+\n(?:\/\/|#) (\S+)\n(.*?)```/gs)].map(
	([, file = '', code = '']) => ({
		file,
		lines: code.split('\n').map((line) => line.trim()),
	}),
);

test.each(excerpts)('what CONTRIBUTING.md shows of $file is there', ({ file, lines }) => {
	const code = new Set(
		read(file)
			.split('\n')
			.map((line) => line.trim()),
	);

	expect(lines.filter((line) => line !== '' && !code.has(line))).toEqual([]);
});
