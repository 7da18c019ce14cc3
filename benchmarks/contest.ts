import { withRig, type Rig, type RigSettings } from './rig.ts';

/** What a run gave, by unit. */
export type Figures = Record<string, number>;

/** A way to do some work. */
export interface Contender {
	name: string;
	/** Gets it ready in an n8n, and gives what does the work once. */
	prepare(rig: Rig): Promise<() => Promise<Figures>>;
}

/** The same work, done in several ways. */
export interface Contest extends RigSettings {
	/** What is done, what the values of the items are made of, and what the figures are. */
	work: string;
	/** All are compared with the first. */
	contenders: readonly Contender[];
	/** Has each run in an n8n of its own that has done nothing before. Otherwise all share one, which warms up. */
	fresh?: boolean;
	/** For work that takes long. */
	mostRounds?: number;
}

export interface ContestContext {
	/** How often each contender does the work. */
	rounds: number;
	signal: AbortSignal;
	/** Says how far it has come. */
	progress(words: string): void;
}

/** A line of a table, by the titles of its columns. */
export type Row = Record<string, string | number>;

/** Lets the contenders do their work in turn, and gives a line for each of them. */
export async function hold(contest: Contest, context: ContestContext): Promise<Row[]> {
	const { contenders, settings, n8n, fresh = false, mostRounds = Infinity } = contest;
	const rounds = Math.min(context.rounds, mostRounds);
	const withN8n = <Result>(work: (rig: Rig) => Promise<Result>) =>
		withRig({ settings, n8n, signal: context.signal }, work);
	const takeTurns = async (runs: ReadonlyArray<() => Promise<Figures>>) => {
		const turns = runs.map((run) => ({ run, figures: new Array<Figures>() }));
		for (let round = fresh ? 1 : 0; round <= rounds; round++) {
			context.progress(`${contest.work}: ${round === 0 ? 'warm-up' : `${round} of ${rounds}`}`);
			// Forth and back: what comes later in a round finds n8n faster or slower than what comes first.
			for (const { run, figures } of round % 2 === 0 ? turns : turns.toReversed()) {
				const result = await run();
				if (round > 0) figures.push(result);
			}
		}
		return turns.map(({ figures }) => figures);
	};
	if (fresh) {
		const runs = contenders.map(
			(contender) => () => withN8n(async (rig) => (await contender.prepare(rig))()),
		);
		return rowsOf(contest, await takeTurns(runs));
	}
	return await withN8n(async (rig) => {
		const runs: Array<() => Promise<Figures>> = [];
		for (const contender of contenders) runs.push(await contender.prepare(rig));
		return rowsOf(contest, await takeTurns(runs));
	});
}

/**
 * The medians, and in brackets how they compare with those of the first contender. Such a ratio is taken in each round, and
 * its median over the rounds, so that a machine that is busier in some rounds does not count.
 */
function rowsOf({ contenders }: Contest, figures: readonly Figures[][]): Row[] {
	const [reference = []] = figures;
	return contenders.map(({ name }, index) => {
		const cellOf = (unit: string) => {
			const own = figures[index].map((figure) => figure[unit]);
			const ratio = rounded(median(own.map((value, round) => value / reference[round][unit])));
			const value = rounded(median(own));
			return index === 0 || !Number.isFinite(ratio) ? value : `${value} (${ratio})`;
		};
		const units = Object.keys(figures[index][0] ?? {});
		return { node: name, ...Object.fromEntries(units.map((unit) => [unit, cellOf(unit)])) };
	});
}

/** The middle value, or the mean of the two in the middle. */
function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const half = sorted.length / 2;
	const middle = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1);
	return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/** More digits than this no clock here is good for. */
const rounded = (figure: number) => Number(figure.toPrecision(3));
