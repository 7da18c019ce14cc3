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

/** The parts of a text that are not filled in. */
function partsOf(words: string): string[] {
	return bare(words)
		.split('…')
		.map((part) => part.replace(/^[\s.,:;]+|[\s.,:;]+$/g, ''))
		.filter((part) => /\p{L}/u.test(part));
}

/** Whether a line has these words in this order, with anything for "…". */
function hasIn(line: string, words: string): boolean {
	let from = 0;
	return partsOf(words).every((part) => {
		const at = line.indexOf(part, from);
		from = at + part.length;
		return at >= 0;
	});
}

const texts = collectTexts().filter(({ words }) => !INTERNAL.includes(words));

test('every text of the panel, and every error and notice, is in docs/reference or docs/troubleshooting*.md', () => {
	const missing = texts
		.filter(({ words }) => !lines.some((line) => hasIn(line, words)))
		.map(({ words, place }) => `${place}: ${words}`);
	expect(missing).toEqual([]);
});

/** The first cells of the tables of messages, reasons and notices. */
const explained = globSync('docs/troubleshooting*.md', { cwd: root })
	.flatMap((page) => readFileSync(join(root, page), 'utf8').split(/\n\n+/))
	.filter((block) => /^\| (Message|Notice|Reason|Words) /.test(block))
	.flatMap((block) => block.split('\n').slice(2))
	.map((row) => bare(row.split(/(?<!\\)\|/)[1] ?? '').trim());

test('what docs/troubleshooting*.md explains is said by the code', () => {
	const sayings = texts.filter(({ words }) => partsOf(words).some((part) => part.length >= 8));
	const stale = explained.filter((cell) => !sayings.some(({ words }) => hasIn(cell, words)));
	expect(explained.length).toBeGreaterThan(150);
	expect(stale).toEqual([]);
});
