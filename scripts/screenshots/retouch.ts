import type { Page } from 'playwright-core';

/** In the pictures the stand-in goes by the address of a service as people have it. */
const EXAMPLE_ADDRESS = 'https://messaging.example.com';

/** What says nothing about the node: notes that pass by, n8n's request for wishes, buttons. */
const HIDDEN = `
	.el-notification, .el-popper.is-dark, [data-test-id="node-feature-request"], .vue-flow__background,
	[data-test-id="floating-nodes"], [data-test-id="canvas-controls"], [class*="_executionButtons"] { display: none !important; }
	*, *::before, *::after { caret-color: transparent !important; transition: none !important; animation: none !important; }
`;

/** Shows one address in place of another, in texts and in fields. */
async function replaceOnPage(page: Page, from: string, to: string): Promise<void> {
	await page.evaluate(
		([before = '', after = '']) => {
			for (const field of Array.from(document.querySelectorAll('input, textarea'))) {
				if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
					if (field.value.includes(before)) field.value = field.value.replaceAll(before, after);
				}
			}
			const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
			for (let text = texts.nextNode(); text; text = texts.nextNode()) {
				if (text.nodeValue?.includes(before)) {
					text.nodeValue = text.nodeValue.replaceAll(before, after);
				}
			}
		},
		[from, to],
	);
}

/** Takes from the page what does not belong into a picture of the node. */
export async function retouch(page: Page, serviceAddress: string): Promise<void> {
	await page.addStyleTag({ content: HIDDEN });
	await replaceOnPage(page, serviceAddress, EXAMPLE_ADDRESS);
	// Whatever it pointed at would stand out.
	await page.mouse.move(0, 0);
}
