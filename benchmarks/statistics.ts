/** The same figure from several rounds. */
export interface Figure {
	median: number;
	rounds: number[];
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const half = sorted.length / 2;
	const middle = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1);
	return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/** Sums up what the rounds gave. */
export function figureOf(rounds: number[]): Figure {
	return { median: median(rounds), rounds };
}

/** The figures divided by others, round by round, so that a machine that is busier in some rounds does not count. */
export function medianRatio(values: readonly number[], others: readonly number[]): number {
	return median(values.map((value, round) => value / (others[round] ?? NaN)));
}
