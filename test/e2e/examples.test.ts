/** The examples: what is in their files, and what they do. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readExamples, type Example } from '../../sandbox/demo/examples.ts';
import { ROOT } from '../../sandbox/n8n/paths.ts';
import './exampleChats.ts';
import './examplesOverDays.ts';

const NOTE = 'n8n-nodes-base.stickyNote';
/** Other bold words are stressed, or the beginning of a paragraph with a colon. */
const BOLD_NAME = /\*\*([A-Z][^*]*[^*:])\*\*/g;

let examples: Example[];

beforeAll(async () => {
	examples = await readExamples();
});

describe('Every example', () => {
	it('explains itself in notes', () => {
		for (const { file, workflow } of examples) {
			const notes = workflow.nodes.filter(({ type }) => type === NOTE);
			const words = notes.map(({ parameters }) => parameters.content).join('\n');

			expect(notes.length).toBeGreaterThan(1);
			expect([file, words]).toEqual([file, expect.stringContaining(`## ${workflow.name}\n`)]);
		}
	});

	it('names steps and examples in its notes as they are called', () => {
		const names = new Set(examples.map(({ workflow }) => workflow.name));
		for (const { file, workflow } of examples) {
			const steps = new Set(workflow.nodes.map(({ name }) => name));
			const bold = workflow.nodes
				.filter(({ type }) => type === NOTE)
				.flatMap(({ parameters }) => [...String(parameters.content).matchAll(BOLD_NAME)])
				.map(([, words = '']) => words);

			expect([file, bold.filter((words) => !steps.has(words) && !names.has(words))]).toEqual([
				file,
				[],
			]);
		}
	});

	it('carries no credential of anyone, no pinned data, and is not active', async () => {
		for (const { file, workflow } of examples) {
			const ids = workflow.nodes.flatMap(({ credentials = {} }) =>
				Object.values(credentials).map(({ id }) => id),
			);

			expect([file, ids.filter(Boolean), workflow.pinData]).toEqual([file, [], {}]);
			expect(JSON.parse(await readFile(join(ROOT, 'examples', file), 'utf8'))).toMatchObject({
				active: false,
			});
		}
	});

	it('is in the list beside it', async () => {
		const list = await readFile(join(ROOT, 'examples', 'README.md'), 'utf8');

		for (const { file } of examples) expect(list).toContain(`](${file})`);
	});
});
