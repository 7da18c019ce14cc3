/** n8n's data tables in the shared n8n, as the page "Data tables" shows them. */
import { sandbox } from './shared.ts';

type Cell = string | number | boolean | null;

/** A row: its own columns, and n8n's `id`, `createdAt` and `updatedAt`. Dates are ISO 8601. */
export type DataRow = Record<string, Cell>;

/** The places of the tables in n8n's REST API, by their names. */
async function tablePaths(): Promise<Map<string, string>> {
	const { rest } = sandbox.n8n;
	const project = await rest.get<{ id: string }>('/rest/projects/personal');
	const path = `/rest/projects/${project.id}/data-tables`;
	const { data } = await rest.get<{ data: Array<{ id: string; name: string }> }>(path);
	return new Map(data.map(({ id, name }) => [name, `${path}/${id}`]));
}

async function pathOf(table: string): Promise<string> {
	const path = (await tablePaths()).get(table);
	if (path === undefined) throw new Error(`There is no data table "${table}"`);
	return path;
}

async function rowsAt(path: string): Promise<DataRow[]> {
	const { data } = await sandbox.n8n.rest.get<{ data: DataRow[] }>(`${path}/rows?take=100`);
	return data;
}

async function changeAt(path: string, id: Cell | undefined, columns: DataRow): Promise<void> {
	const filters = [{ columnName: 'id', condition: 'eq', value: id }];
	await sandbox.n8n.rest.patch(`${path}/rows`, { filter: { type: 'and', filters }, data: columns });
}

/** The rows of a table, of which there are not many. */
export async function rowsOf(table: string): Promise<DataRow[]> {
	return await rowsAt(await pathOf(table));
}

/** The row of a contact. */
export async function rowOf(table: string, phone: string): Promise<DataRow> {
	const found = (await rowsOf(table)).find((row) => row.phone === phone);
	if (!found) throw new Error(`${phone} is not in ${table}`);
	return found;
}

/** Changes columns in the row of a contact, as somebody does by hand. */
export async function changeRow(table: string, phone: string, columns: DataRow): Promise<void> {
	await changeAt(await pathOf(table), (await rowOf(table, phone)).id, columns);
}

/** Changes columns of all rows of all tables. */
export async function changeAll(change: (row: DataRow) => DataRow): Promise<void> {
	for (const path of (await tablePaths()).values()) {
		for (const row of await rowsAt(path)) {
			const columns = change(row);
			if (Object.keys(columns).length > 0) await changeAt(path, row.id, columns);
		}
	}
}

/** Deletes all rows of all tables. */
export async function emptyTables(): Promise<void> {
	const all = { type: 'and', filters: [{ columnName: 'id', condition: 'gt', value: 0 }] };
	const filter = encodeURIComponent(JSON.stringify(all));
	for (const path of (await tablePaths()).values()) {
		await sandbox.n8n.rest.delete(`${path}/rows?filter=${filter}`);
	}
}
