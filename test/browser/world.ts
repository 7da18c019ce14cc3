import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { openEditor, type Editor } from './editor/editor.ts';
import { CACHE } from '../../sandbox/n8n/paths.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/n8n/sandbox.ts';
import { START, type NodeSketch } from '../../sandbox/n8n/workflows.ts';

const SCREENSHOTS = join(CACHE, 'screenshots');

/** A real n8n with the stand-in for the service, and a browser in its editor. */
export interface World extends Sandbox {
	editor: Editor;
	/** Stores a workflow of a manual trigger, without which nodes do not run, and these nodes; opens the panel of the last. */
	openNode(...nodes: NodeSketch[]): Promise<void>;
}

let world: World | undefined;

/** Starts all before the tests of a file that are made by `inEditor`, and stops it after them. */
export function shareWorld(options: SandboxOptions): void {
	let sandbox: Sandbox | undefined;
	beforeAll(async () => {
		const started = await startSandbox({ ...options, editor: true });
		sandbox = started;
		const editor = await openEditor(started.n8n);
		const openNode = async (...nodes: NodeSketch[]) => {
			const { workflow } = await started.store([START, ...nodes]);
			await editor.openNode(workflow.id, workflow.nodes.at(-1)?.id ?? '');
		};
		world = { ...started, editor, openNode };
	});
	afterAll(async () => {
		await world?.editor.close();
		await sandbox?.stop();
	});
}

async function leaveScreenshot({ page }: Editor): Promise<void> {
	const name = expect.getState().currentTestName ?? 'test';
	const path = join(SCREENSHOTS, `${name.replace(/[^a-z0-9]+/gi, '-').slice(0, 100)}.png`);
	await mkdir(SCREENSHOTS, { recursive: true });
	await page.screenshot({ path });
	console.error(`What the editor showed when "${name}" failed:\n${path}\n${page.url()}`);
}

/** A test in the editor, which leaves a screenshot if it fails. */
export function inEditor(name: string, run: (world: World) => Promise<void>): void {
	test(name, async () => {
		if (!world) throw new Error('Nothing was started');
		try {
			await run(world);
		} catch (error) {
			await leaveScreenshot(world.editor);
			throw error;
		}
	});
}
