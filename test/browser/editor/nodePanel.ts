import type { Locator, Page } from 'playwright-core';

import { DataPane } from './dataPane.ts';

/** The panel of a node: its fields in the middle, what came in on the left, what came out on the right. */
export class NodePanel {
	readonly input: DataPane;
	readonly output: DataPane;
	private readonly page: Page;

	constructor(page: Page) {
		this.page = page;
		this.input = new DataPane(page.getByTestId('ndv-input-panel'));
		this.output = new DataPane(page.getByTestId('output-panel'));
	}

	get root(): Locator {
		return this.page.getByTestId('ndv');
	}

	/** The part in the middle, with the fields. */
	get main(): Locator {
		return this.root.locator('.node-settings');
	}

	get fields(): Locator {
		return this.page.getByTestId('node-parameters');
	}

	async ready(): Promise<void> {
		await this.fields.waitFor();
	}

	async close(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.root.waitFor({ state: 'hidden' });
	}

	field(name: string): Locator {
		return this.fields.getByTestId(`parameter-input-${name}`);
	}

	/** What a field shows. */
	async value(name: string): Promise<string> {
		return await this.textBox(name).inputValue();
	}

	/** Enters text into a field. */
	async fill(name: string, text: string): Promise<void> {
		await this.textBox(name).fill(text);
	}

	/** Chooses from a dropdown. */
	async choose(name: string, option: string): Promise<void> {
		await this.field(name).click();
		await this.option(option).click();
	}

	/** Adds an optional field by the dropdown that says e.g. "Add filter". */
	async add(dropdown: string, option: string): Promise<void> {
		await this.fields.getByPlaceholder(dropdown, { exact: true }).click();
		await this.option(option).click();
	}

	/** Searches a field's list and chooses the entry with this text. */
	async pickFromList(name: string, words: string, entry: string): Promise<void> {
		await this.openList(name);
		await this.pickFromOpenList(words, entry);
	}

	/** The same in the list that is open. */
	async pickFromOpenList(words: string, entry: string): Promise<void> {
		await this.page.getByTestId('rlc-search').fill(words);
		await this.listEntries.getByText(entry, { exact: true }).click();
	}

	async openList(name: string): Promise<void> {
		await this.fields.getByTestId(`resource-locator-${name}`).getByTestId('rlc-input').click();
		await this.listEntries.first().waitFor();
	}

	/** The entries of the list that is open. */
	get listEntries(): Locator {
		return this.page.getByTestId('rlc-item');
	}

	async chooseCredential(name: string): Promise<void> {
		await this.credential.click();
		await this.option(name).click();
	}

	/** Opens the dialog for a credential that does not exist yet. */
	async createCredential(): Promise<void> {
		await this.credential.click();
		await this.page.getByTestId('node-credentials-select-item-new').click();
	}

	/** Runs the step and waits until it is done, well or not. */
	async execute(): Promise<void> {
		await this.start();
		await this.output.finished();
	}

	/** Runs the step. A trigger then waits for its event. */
	async start(): Promise<void> {
		const started = this.page.waitForResponse(
			(response) => response.request().method() === 'POST' && response.url().endsWith('/run'),
		);
		// While an earlier run ends, the button still stops that one.
		const button = this.page.getByTestId('node-execute-button');
		await button.filter({ hasText: 'Execute step' }).click();
		await started;
	}

	/** Unfolds a trigger's addresses, with the one for the published workflow. */
	async showProductionUrl(): Promise<void> {
		await this.main.getByText('Webhook URLs', { exact: true }).click();
		await this.main.getByText('Production URL', { exact: true }).click();
	}

	private get credential(): Locator {
		return this.fields.getByTestId('node-credentials-select');
	}

	/** In a resource locator, the input comes after the dropdown of its modes. */
	private textBox(name: string): Locator {
		return this.field(name).locator('input, textarea').last();
	}

	private option(text: string): Locator {
		return this.page
			.locator('[role="option"]:visible, .el-select-dropdown__item:visible')
			.getByText(text, { exact: true });
	}
}
