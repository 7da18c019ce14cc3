/** That users find what the package says to them in the documentation, by its words. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { collectTexts } from './texts.ts';

const root = join(import.meta.dirname, '../..');

const lines = globSync('docs/{troubleshooting*,reference/*}.md', { cwd: root })
	.flatMap((page) => readFileSync(join(root, page), 'utf8').split('\n'))
	.map(bare);

/** What no user ever reads. */
const INTERNAL = [
	// Expressions beneath the nodes on the canvas, and a header.
	'={{ (…)[$parameter["resource"] + ":" + $parameter["operation"]] }}',
	'={{$parameter["events"].join(", ") || "all events"}}',
	"default-src 'none'; sandbox",
];

/** A text without what is markup on a page or in n8n's panel. */
function bare(text: string): string {
	return text
		.replace(/<\/?b>/g, '')
		.replace(/<\/?\w+(?: \/)?>/g, ' ')
		.replace(/[\\`*_]/g, '')
		.replace(/\s+/g, ' ');
}

/** Whether a line has these words in this order, with anything for "…". */
function isFound(words: string): boolean {
	const parts = bare(words)
		.split('…')
		.map((part) => part.replace(/^[\s.,:;]+|[\s.,:;]+$/g, ''))
		.filter((part) => /\p{L}/u.test(part));
	return lines.some((line) => {
		let from = 0;
		return parts.every((part) => {
			const at = line.indexOf(part, from);
			from = at + part.length;
			return at >= 0;
		});
	});
}

test('every text of the panel, and every error and notice, is in docs/reference or docs/troubleshooting*.md', () => {
	const missing = collectTexts()
		.filter(({ words }) => !INTERNAL.includes(words) && !isFound(words))
		.map(({ words, place }) => `${place}: ${words}`);
	expect(missing).toEqual([]);
});
