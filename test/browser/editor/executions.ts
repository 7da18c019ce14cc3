import type { Page } from 'playwright-core';

/** The tab with the runs of a workflow. */
export class Executions {
	private readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	/** Opens the tab with the newest run. */
	async openNewest(): Promise<void> {
		await this.page.getByTestId('radio-button-executions').click();
		await this.page.getByTestId('execution-preview-label').waitFor();
	}
}
