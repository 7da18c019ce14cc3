import { join } from 'node:path';

import type { Locator } from 'playwright-core';

import { ROOT } from '../../sandbox/n8n/paths.ts';
import { startConnected, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { startN8n } from '../../sandbox/n8n/index.ts';
import { START, type NodeSketch } from '../../sandbox/n8n/workflows.ts';
import { startService } from '../../sandbox/service/service.ts';
import { openEditor, type Editor } from '../../test/browser/editor/editor.ts';

const WIDTH = 1440;
const HEIGHT = 820;
/** Crisp on good screens, and still small files. */
const SCALE = 1.6;
const LEAST_HEIGHT = 560;
const PADDING = 24;
/** Of the panel, behind which one sees the canvas. */
const ROUND_CORNER = 8;

/** Where n8n and the service say that they are. */
const N8N_ADDRESS = 'https://n8n.example.com';
const SERVICE_ADDRESS = 'https://messaging.example.com';

/** Dates in the pictures stay the same. */
const NOW = new Date('2026-03-02T09:00:00Z');

/** What says nothing about the node: notes that pass by, n8n's request for wishes, buttons. */
const HIDDEN = `
	.el-notification, .el-popper.is-dark, [data-test-id="node-feature-request"], .vue-flow__background,
	[data-test-id="floating-nodes"], [data-test-id="canvas-controls"], [class*="_executionButtons"] { display: none !important; }
	*, *::before, *::after { caret-color: transparent !important; transition: none !important; animation: none !important; }
`;

/** A part of the page, in its pixels. */
export interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** Sets the editor up for a picture, and says which part of the page it shows. */
export type Picture = (studio: Studio) => Promise<Area>;

/** What came out of the node that a picture shows. */
interface Outcome {
	view?: 'Schema' | 'Table';
	/** Whether the node is to fail. */
	fails?: boolean;
}

/** A real n8n with the stand-in for the service, and a browser with a camera. */
export interface Studio extends Sandbox {
	editor: Editor;
	/** Stores these nodes after a manual trigger, and opens the panel of the last. */
	openPanel(nodes: NodeSketch[]): Promise<void>;
	/** Executes the node of the open panel, and shows fields and output. */
	execute(outcome?: Outcome): Promise<Area>;
	/** The fields and the output of the open panel, as high as its fields. */
	panelArea(): Promise<Area>;
	/** Takes a picture, and gives the path of its file. */
	take(name: string, picture: Picture): Promise<string>;
}

/** The area of an element. */
export async function areaOf(element: Locator): Promise<Area> {
	const box = await element.boundingBox();
	if (!box) throw new Error(`There is nothing to see of ${String(element)}`);
	return box;
}

/** The smallest area around others, with a margin. */
export function around(areas: Area[], margin = 0): Area {
	const x = Math.min(...areas.map((area) => area.x)) - margin;
	const y = Math.min(...areas.map((area) => area.y)) - margin;
	const right = Math.max(...areas.map((area) => area.x + area.width)) + margin;
	const bottom = Math.max(...areas.map((area) => area.y + area.height)) + margin;
	return { x, y, width: right - x, height: bottom - y };
}

/** Starts all that is needed; to be stopped when the pictures are taken. */
export async function startStudio(): Promise<Studio> {
	const sandbox = await startConnected(
		() => startService({ now: NOW, inboxes: 6 }),
		() =>
			startN8n({
				env: {
					// Its buttons would be in every picture, and few people have them.
					N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,chat-hub',
					WEBHOOK_URL: N8N_ADDRESS,
				},
			}),
		{ name: 'Messaging Service account', data: { webhookSecret: 'demo-webhook-secret' } },
	);
	try {
		const size = { width: WIDTH, height: HEIGHT, scale: SCALE };
		return equip(sandbox, await openEditor(sandbox.n8n, size));
	} catch (error) {
		await sandbox.stop();
		throw error;
	}
}

function equip(sandbox: Sandbox, editor: Editor): Studio {
	const { page, panel } = editor;
	const { output } = panel;
	const studio: Studio = {
		...sandbox,
		editor,
		async openPanel(nodes) {
			const { workflow } = await sandbox.store([START, ...nodes]);
			await editor.openNode(workflow.id, workflow.nodes.at(-1)?.id ?? '');
		},
		async execute({ view = 'Schema', fails = false } = {}) {
			await panel.execute();
			if (fails) {
				await output.errorMessage.waitFor();
			} else {
				await output.succeeded();
				await output.show(view);
			}
			return await studio.panelArea();
		},
		async panelArea() {
			await fitPanel(editor);
			const areas = await Promise.all([areaOf(panel.main), areaOf(output.root)]);
			const { height, ...area } = around(areas);
			return { ...area, height: height - ROUND_CORNER };
		},
		async take(name, picture) {
			await sandbox.service.reset();
			await page.setViewportSize({ width: WIDTH, height: HEIGHT });
			const clip = await picture(studio);
			await page.addStyleTag({ content: HIDDEN });
			await page.evaluate(replaceAddress, [sandbox.service.url, SERVICE_ADDRESS]);
			// Whatever it pointed at would stand out.
			await page.mouse.move(0, 0);
			const path = join(ROOT, 'docs', 'images', `${name}.png`);
			await page.screenshot({ path, clip });
			return path;
		},
		async stop() {
			await editor.close();
			await sandbox.stop();
		},
	};
	return studio;
}

/** Makes the window as high as the fields of the open panel need it, and what came out. */
async function fitPanel({ page, panel }: Editor): Promise<void> {
	const missing = await panel.fields.evaluate((fields) => {
		const bottoms = Array.from(fields.children)
			.filter((child) => child.getAttribute('data-test-id') !== 'node-feature-request')
			.map((child) => child.getBoundingClientRect().bottom);
		return Math.max(...bottoms) - fields.getBoundingClientRect().bottom;
	});
	const height = Math.max(Math.round(HEIGHT + missing + PADDING), LEAST_HEIGHT);
	await page.setViewportSize({ width: WIDTH, height });
	const overflow = await panel.output.overflow();
	await page.setViewportSize({ width: WIDTH, height: height + overflow });
}

/** In the page: shows one address in place of another, in texts and in fields. */
function replaceAddress([from = '', to = '']: string[]): void {
	const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
		'input, textarea',
	);
	for (const field of Array.from(fields)) {
		if (field.value.includes(from)) field.value = field.value.replaceAll(from, to);
	}
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let text = texts.nextNode(); text; text = texts.nextNode()) {
		if (text.nodeValue?.includes(from)) text.nodeValue = text.nodeValue.replaceAll(from, to);
	}
}
