import type { RestClient } from './rest.ts';

export interface DataTable {
	id: string;
	name: string;
	projectId: string;
}

export interface DataTableColumn {
	name: string;
	type: 'string' | 'number' | 'boolean' | 'date';
}

type Row = Record<string, string | number | boolean | null>;

/** Makes a data table in the owner's personal project. */
export async function createDataTable(
	rest: RestClient,
	name: string,
	columns: DataTableColumn[],
): Promise<DataTable> {
	const { id: projectId } = await rest.get<{ id: string }>('/rest/projects/personal');
	const table = await rest.post<{ id: string }>(`/rest/projects/${projectId}/data-tables`, {
		name,
		columns,
	});
	return { id: table.id, name, projectId };
}

/** Adds rows to a data table. */
export async function insertRows(rest: RestClient, table: DataTable, rows: Row[]): Promise<void> {
	await rest.post(`/rest/projects/${table.projectId}/data-tables/${table.id}/insert`, {
		data: rows,
		returnType: 'count',
	});
}

/** Reads the rows of a data table, n8n's own columns included. */
export async function readRows(rest: RestClient, table: DataTable): Promise<Row[]> {
	const { data } = await rest.get<{ data: Row[] }>(
		`/rest/projects/${table.projectId}/data-tables/${table.id}/rows`,
	);
	return data;
}
