import type { Locator, Page } from 'playwright-core';

/** The surface with the nodes of a workflow. */
export class Canvas {
	private readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	async ready(): Promise<void> {
		await this.page
			.getByTestId('canvas-wrapper')
			.getByTestId(/^(canvas-add-button|canvas-node)$/)
			.first()
			.waitFor();
	}

	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Opens the panel of a node. */
	async open(name: string): Promise<void> {
		await this.node(name).dblclick();
	}

	/** Publishes the workflow, so that its triggers listen. */
	async publish(): Promise<void> {
		await this.page.getByTestId('workflow-open-publish-modal-button').click();
		await this.page.getByTestId('workflow-publish-button').click();
		await this.page.getByTestId('activation-modal').getByRole('button', { name: 'Got it' }).click();
	}
}
