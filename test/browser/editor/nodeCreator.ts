import type { Locator, Page } from 'playwright-core';

/** The list of nodes beside the canvas, from which one is added. */
export class NodeCreator {
	private readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	async open(): Promise<void> {
		await this.page
			.getByTestId(/^(canvas-plus-button|node-creator-plus-button)$/)
			.first()
			.click();
		await this.searchBar.waitFor();
	}

	async search(words: string): Promise<void> {
		await this.searchBar.fill(words);
	}

	/** The entry of a node, with its description. */
	entry(nodeName: string): Locator {
		return this.page.getByTestId('item-iterator-item').filter({
			has: this.page.getByTestId('node-creator-item-name').getByText(nodeName, { exact: true }),
		});
	}

	/** An action of the node that is open, such as "Get many messages". */
	action(name: string): Locator {
		return this.page.getByTestId('item-iterator-item').getByText(name, { exact: true });
	}

	private get searchBar(): Locator {
		return this.page.getByTestId('node-creator-search-bar');
	}
}
