import type { RestClient } from './rest.ts';

type Cell = string | number | boolean | null;

/** A row of a data table: its own columns, and n8n's `id`, `createdAt` and `updatedAt`. Dates are ISO 8601. */
export type DataRow = Record<string, Cell>;

interface DataTable {
	id: string;
	name: string;
}

interface Listed<Entry> {
	data: Entry[];
}

/** n8n gives at most so many rows at once. */
const MOST_ROWS = 100;

/** n8n's data tables in the owner's project, as the page "Data tables" shows them. */
export class DataTables {
	private readonly rest: RestClient;

	constructor(rest: RestClient) {
		this.rest = rest;
	}

	/** The newest rows of a table, the oldest of them first; none while there is no such table. */
	async rows(table: string): Promise<DataRow[]> {
		const path = await this.pathOf(table);
		if (path === undefined) return [];
		const order = encodeURIComponent('id:desc');
		const { data } = await this.rest.get<Listed<DataRow>>(
			`${path}/rows?take=${MOST_ROWS}&sortBy=${order}`,
		);
		return data.reverse();
	}

	/** Changes columns of a row, as somebody does by hand. */
	async change(table: string, id: Cell, columns: DataRow): Promise<void> {
		const path = await this.existing(table);
		await this.rest.patch(`${path}/rows`, { filter: byId(id), data: columns });
	}

	/** Deletes all tables. */
	async clear(): Promise<void> {
		const project = await this.project();
		for (const { id } of await this.list()) await this.rest.delete(`${project}/${id}`);
	}

	private async project(): Promise<string> {
		const { id } = await this.rest.get<{ id: string }>('/rest/projects/personal');
		return `/rest/projects/${id}/data-tables`;
	}

	private async list(): Promise<DataTable[]> {
		const { data } = await this.rest.get<Listed<DataTable>>(await this.project());
		return data;
	}

	private async pathOf(table: string): Promise<string | undefined> {
		const found = (await this.list()).find(({ name }) => name === table);
		return found && `${await this.project()}/${found.id}`;
	}

	private async existing(table: string): Promise<string> {
		const path = await this.pathOf(table);
		if (path === undefined) throw new Error(`There is no data table "${table}"`);
		return path;
	}
}

const byId = (value: Cell) => ({
	type: 'and',
	filters: [{ columnName: 'id', condition: 'eq', value }],
});
