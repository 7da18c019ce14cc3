import { join } from 'node:path';

import type { Locator } from 'playwright-core';

import { startN8n } from '../../sandbox/n8n/index.ts';
import { ROOT } from '../../sandbox/n8n/paths.ts';
import { startConnected, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
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
	.el-notification, .el-popper.is-dark, [data-test-id="node-feature-request"],
	[data-test-id="floating-nodes"] { display: none !important; }
	*, *::before, *::after { caret-color: transparent !important; transition: none !important; animation: none !important; }
`;

/** A real n8n with the stand-in for the service, and a browser with a camera. */
export interface Studio extends Sandbox {
	editor: Editor;
}

/** Sets up what a picture shows: the panel of a node, with its output. */
export type Picture = (studio: Studio) => Promise<void>;

/** Starts all that is needed; to be stopped when the pictures are taken. */
export async function startStudio(): Promise<Studio> {
	const sandbox = await startConnected(
		() => startService({ now: NOW, inboxes: 6 }),
		() => startN8n({ env: { WEBHOOK_URL: N8N_ADDRESS } }),
		{ name: 'Messaging Service account', data: { webhookSecret: 'demo-webhook-secret' } },
	);
	try {
		const editor = await openEditor(sandbox.n8n, { width: WIDTH, height: HEIGHT, scale: SCALE });
		const stop = async () => {
			await editor.close();
			await sandbox.stop();
		};
		return { ...sandbox, editor, stop };
	} catch (error) {
		await sandbox.stop();
		throw error;
	}
}

/** Takes a picture of the fields and the output of the open panel, and gives the path of its file. */
export async function take(studio: Studio, name: string, picture: Picture): Promise<string> {
	const { editor, service } = studio;
	const { page, panel } = editor;
	await service.reset();
	await page.setViewportSize({ width: WIDTH, height: HEIGHT });
	await picture(studio);
	await fitPanel(editor);
	const [main, output] = await Promise.all([areaOf(panel.main), areaOf(panel.output.root)]);
	await page.addStyleTag({ content: HIDDEN });
	await page.evaluate(replaceAddress, [service.url, SERVICE_ADDRESS]);
	// Whatever it pointed at would stand out.
	await page.mouse.move(0, 0);
	const path = join(ROOT, 'docs', 'images', `${name}.png`);
	const width = output.x + output.width - main.x;
	await page.screenshot({ path, clip: { ...main, width, height: main.height - ROUND_CORNER } });
	return path;
}

async function areaOf(element: Locator) {
	const box = await element.boundingBox();
	if (!box) throw new Error(`There is nothing to see of ${String(element)}`);
	return box;
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
