/** `npm start -- --once`, as a user runs it: all examples, in a real n8n, against the stand-in. */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { readExamples } from '../../sandbox/demo/examples.ts';
import { ROOT } from '../../sandbox/n8n/paths.ts';
import { operationIds } from '../../sandbox/operations.ts';

const TIMEOUT_MS = 300_000;

async function start(args: string[], env: Record<string, string> = {}) {
	const child = spawn(process.execPath, ['sandbox/start.ts', ...args], {
		cwd: ROOT,
		env: { ...process.env, ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
	const [output, errors, exitCode] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		exited,
	]);
	return { output, errors, exitCode };
}

describe('npm start -- --once', () => {
	let result: Awaited<ReturnType<typeof start>>;

	beforeAll(async () => {
		result = await start(['--once']);
	}, TIMEOUT_MS);

	it('runs every example through', () => {
		expect(result.output).not.toContain('✗');
		expect(result.errors).toBe('');
		expect(result.exitCode).toBe(0);
	});

	it('shows every example', async () => {
		const examples = await readExamples();
		const files = await readdir(join(ROOT, 'examples'));
		expect(examples).toHaveLength(files.filter((file) => file.endsWith('.json')).length);
		for (const { workflow } of examples) {
			expect(result.output).toContain(workflow.name.slice(0, 30));
		}
	});

	it.each([
		['Answer inbound messages', 1],
		["Follow up on the agent's answers", 1],
		['Route inbound messages', 4],
		['Answer from a table', 3],
		['Answer several messages at once', 3],
		['Keep the opt-outs', 3],
	])('starts %s by events', (name, runs) => {
		const lines = result.output.split('\n');
		const row = lines.find((line) => line.startsWith(`${name}  `)) ?? '';

		expect(row.trimEnd()).toMatch(new RegExp(`  trigger  +${runs}  .* ok$`));
	});

	it.each(operationIds)('has a row for %s', (operation) => {
		const rows = result.output.split('\n').filter((line) => line.includes(`  ${operation}  `));
		expect(rows.filter((row) => row.trimEnd().endsWith('ok'))).not.toHaveLength(0);
	});
});

describe('npm start with wrong arguments', () => {
	it.each([
		['MESSAGING_SERVICE_API_KEY', '--base-url', 'https://messaging.example.com'],
		['Usage: npm start', '--port', 'http'],
	])('says "%s" to %s %s', async (words, ...args) => {
		const { errors, exitCode } = await start(args, { MESSAGING_SERVICE_API_KEY: '' });

		expect(errors).toContain(words);
		expect(exitCode).toBe(2);
	});
});
