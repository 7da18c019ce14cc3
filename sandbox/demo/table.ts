export interface Column {
	title: string;
	align?: 'left' | 'right';
	/** Longer cells are cut off. */
	maxWidth?: number;
}

function cut(text: string, width: number): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

/** Lays rows out as a table of plain text; equal cells one below the other are shown once. */
export function formatTable(columns: Column[], rows: string[][], groupBy = 0): string {
	const cells = rows.map((row) =>
		row.map((cell, index) => cut(cell, columns[index]?.maxWidth ?? Infinity)),
	);
	const widths = columns.map(({ title }, index) =>
		Math.max(title.length, ...cells.map((row) => (row[index] ?? '').length)),
	);
	const line = (row: string[]) =>
		row
			.map((cell, index) => {
				const width = widths[index] ?? 0;
				return columns[index]?.align === 'right' ? cell.padStart(width) : cell.padEnd(width);
			})
			.join('  ')
			.trimEnd();
	const shown = cells.map((row, index) =>
		row.map((cell, column) =>
			column === groupBy && cell === cells[index - 1]?.[groupBy] ? '' : cell,
		),
	);
	return [
		line(columns.map(({ title }) => title)),
		line(widths.map((width) => '─'.repeat(width))),
		...shown.map(line),
	].join('\n');
}
