import type { Page } from 'playwright-core';

/** The tab with the runs of a workflow. */
export class Executions {
	private readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	async open(): Promise<void> {
		await this.page.getByTestId('radio-button-executions').click();
	}

	/** Waits until a run succeeded, and shows it. */
	async showSucceeded(): Promise<void> {
		await this.page
			.getByTestId('current-executions-list')
			.getByText(/^Succeeded/)
			.first()
			.click();
		await this.page.getByTestId('execution-preview-label').getByText('Succeeded').waitFor();
	}
}
