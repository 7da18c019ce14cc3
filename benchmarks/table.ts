/** Lays rows out as a table of plain text, numbers to the right; equal cells one below the other are shown once. */
export function formatTable(titles: string[], rows: string[][]): string {
	const widths = titles.map((title, column) =>
		Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
	);
	const isNumber = (cell: string) => /^[\d.,]+$/.test(cell);
	const line = (row: string[]) =>
		row
			.map((cell, column) => {
				const width = widths[column] ?? 0;
				return isNumber(cell) ? cell.padStart(width) : cell.padEnd(width);
			})
			.join('  ')
			.trimEnd();
	const shown = rows.map(([first = '', ...others], index) => [
		first === rows[index - 1]?.[0] ? '' : first,
		...others,
	]);
	return [titles, widths.map((width) => '─'.repeat(width)), ...shown].map(line).join('\n');
}
