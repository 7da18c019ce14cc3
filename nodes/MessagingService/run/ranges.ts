/** Writes ascending item numbers as a user reads them: "0-41, 43", or "none". */
export function formatRanges(numbers: readonly number[]): string {
	const ranges: Array<[from: number, to: number]> = [];
	for (const number of numbers) {
		const last = ranges.at(-1);
		if (last && number === last[1] + 1) last[1] = number;
		else ranges.push([number, number]);
	}
	if (ranges.length === 0) return 'none';
	return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}
