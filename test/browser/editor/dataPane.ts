import type { Locator } from 'playwright-core';

type View = 'Schema' | 'Table' | 'JSON';

/** One of the two panes beside a node's fields: what came in, or what came out. */
export class DataPane {
	readonly root: Locator;

	constructor(root: Locator) {
		this.root = root;
	}

	/** Waits until the node ran, well or not. */
	async finished(): Promise<void> {
		await this.root.getByTestId(/^node-run-status-/).waitFor();
	}

	/** Waits until the node ran well. */
	async succeeded(): Promise<void> {
		await this.root.getByTestId('node-run-status-success').waitFor();
	}

	async show(view: View): Promise<void> {
		await this.root.getByTestId(`radio-button-${view.toLowerCase()}`).click();
	}

	/** By how much the schema is higher than the pane. A table has pages instead. */
	async overflow(): Promise<number> {
		if ((await this.root.locator('table').count()) > 0) return 0;
		return await this.root
			.getByTestId('ndv-data-container')
			.evaluate((data) =>
				Math.max(
					...Array.from(data.querySelectorAll('*')).map(
						({ scrollHeight, clientHeight }) => scrollHeight - clientHeight,
					),
				),
			);
	}

	/** The items of the page in view, by column. */
	async rows(): Promise<Array<Record<string, string>>> {
		await this.show('Table');
		const table = this.root.locator('table');
		await table.locator('tbody tr').first().waitFor();
		const columns = await table.locator('thead th').allInnerTexts();
		const rows = await table.locator('tbody tr').all();
		return await Promise.all(
			rows.map(async (row) => {
				const cells = await row.locator('td').allInnerTexts();
				return Object.fromEntries(
					columns.map((column, index) => [column.trim(), (cells[index] ?? '').trim()]),
				);
			}),
		);
	}

	/** The names of the fields that a node usually puts out, shown before it ever ran. */
	async previewFields(): Promise<string[]> {
		await this.root.getByTestId('schema-preview-warning').waitFor();
		return await this.root.getByTestId('run-data-schema-node-name').allInnerTexts();
	}

	get errorMessage(): Locator {
		return this.root.getByTestId('node-error-message');
	}

	get errorDescription(): Locator {
		return this.root.getByTestId('node-error-description');
	}
}
