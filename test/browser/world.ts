import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { openEditor, type Editor } from './editor/editor.ts';
import { CACHE } from '../../sandbox/n8n/paths.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { START, type NodeSketch } from '../../sandbox/n8n/workflows.ts';

const SCREENSHOTS = join(CACHE, 'screenshots');

/** More than a page of the service has. */
const INBOXES = 120;

/** A real n8n with the stand-in for the service, and a browser in its editor. */
export interface World extends Sandbox {
	editor: Editor;
	/** Opens a new workflow of a manual trigger and these nodes. */
	openWorkflow(...nodes: NodeSketch[]): Promise<void>;
	/** The same, with the panel of the last node. */
	openNode(...nodes: NodeSketch[]): Promise<void>;
}

let starting: Promise<World> | undefined;

/** Starts all for the tests that are made by `inEditor`. */
export async function startWorld(): Promise<void> {
	starting = start();
	await starting;
}

/** Stops what was started, also if that took longer than somebody was ready to wait. */
export async function stopWorld(): Promise<void> {
	await (await starting)?.stop();
}

async function start(): Promise<World> {
	const sandbox = await startSandbox({ service: { inboxes: INBOXES }, editor: true });
	try {
		const editor = await openEditor(sandbox.n8n);
		// Without a trigger before it, a node does not run.
		const store = async (nodes: NodeSketch[]) => (await sandbox.store([START, ...nodes])).workflow;
		return {
			...sandbox,
			editor,
			async openWorkflow(...nodes) {
				await editor.openWorkflow((await store(nodes)).id);
			},
			async openNode(...nodes) {
				const { id, nodes: stored } = await store(nodes);
				await editor.openNode(id, stored.at(-1)?.id ?? '');
			},
			async stop() {
				await editor.close();
				await sandbox.stop();
			},
		};
	} catch (error) {
		await sandbox.stop();
		throw error;
	}
}

async function leaveScreenshot({ editor }: World): Promise<void> {
	const name = expect.getState().currentTestName ?? 'test';
	const path = join(SCREENSHOTS, `${name.replace(/[^a-z0-9]+/gi, '-').slice(0, 100)}.png`);
	await mkdir(SCREENSHOTS, { recursive: true });
	await editor.page.screenshot({ path });
	console.error(`What the editor showed when "${name}" failed:\n${path}\n${editor.page.url()}`);
}

/** A test in the editor, which leaves a screenshot if it fails. */
export function inEditor(name: string, run: (world: World) => Promise<void>): void {
	test(name, async () => {
		if (!starting) throw new Error('Nothing was started');
		const world = await starting;
		try {
			await run(world);
		} catch (error) {
			await leaveScreenshot(world);
			throw error;
		}
	});
}
