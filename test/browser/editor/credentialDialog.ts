import type { Locator, Page } from 'playwright-core';

/** The dialog in which a credential is made and tested. */
export class CredentialDialog {
	private readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	get dialog(): Locator {
		return this.page.getByTestId('editCredential-modal');
	}

	field(name: string): Locator {
		return this.dialog.getByTestId(`parameter-input-${name}`).locator('input');
	}

	/** Stores the credential, which n8n then tests; it closes the dialog if the test passes. */
	async save(): Promise<void> {
		await this.dialog.getByTestId('credential-save-button').click();
	}

	/** Waits until the test failed, and gives what it says in full. */
	async problem(): Promise<string> {
		await this.dialog.getByText('More details').click();
		await this.dialog.getByText('More details').waitFor({ state: 'hidden' });
		return await this.dialog.innerText();
	}

	async closed(): Promise<void> {
		await this.dialog.waitFor({ state: 'hidden' });
	}
}
