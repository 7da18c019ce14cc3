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

/** A figure in another unit, or less what is not to count. */
export function mapFigure({ rounds }: Figure, change: (value: number) => number): Figure {
	return figureOf(rounds.map(change));
}
