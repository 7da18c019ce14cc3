/** A line of a table, by the titles of its columns. */
export type Row = Record<string, string | number>;

/** What was measured in each round, and whose figures those are. */
interface Measured {
	name: string;
	rounds: readonly number[];
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const half = sorted.length / 2;
	const middle = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1);
	return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/**
 * Sets the medians of two contenders side by side. The ratio is that of each round, and its median over the rounds,
 * so that a machine that is busier in some rounds does not count.
 *
 * @param unit of the figures, such as "ms per call"
 */
export function compare(work: string, unit: string, subject: Measured, reference: Measured): Row {
	const ratio = median(
		subject.rounds.map((value, round) => value / (reference.rounds[round] ?? NaN)),
	);
	return {
		work,
		unit,
		node: subject.name,
		median: rounded(median(subject.rounds)),
		'compared with': reference.name,
		'its median': rounded(median(reference.rounds)),
		ratio: rounded(ratio),
	};
}

/** More digits than this no clock here is good for. */
export function rounded(figure: number): number {
	return Number(figure.toPrecision(3));
}
