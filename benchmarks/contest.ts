import { withRig, type Rig, type RigSettings } from './rig.ts';

/** What a run gave, by unit. */
export type Figures = Record<string, number>;

/** Does the work once. */
export type Work = () => Promise<Figures>;

/** A way to do some work. */
export interface Contender {
	name: string;
	/** Gets it ready in an n8n, and gives what does the work once. */
	prepare(rig: Rig): Promise<Work>;
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
	const { contenders, settings, n8n, fresh } = contest;
	const withN8n = <Result>(work: (rig: Rig) => Promise<Result>) =>
		withRig({ settings, n8n, signal: context.signal }, work);
	if (fresh) {
		const works = contenders.map(({ prepare }): Work => {
			return () => withN8n(async (rig) => (await prepare(rig))());
		});
		return rowsOf(contest, await takeTurns(works, contest, context));
	}
	return await withN8n(async (rig) => {
		const works: Work[] = [];
		for (const { prepare } of contenders) works.push(await prepare(rig));
		return rowsOf(contest, await takeTurns(works, contest, context));
	});
}

/** What each of them gave, round by round. */
async function takeTurns(
	works: readonly Work[],
	{ work: title, fresh, mostRounds = Infinity }: Contest,
	{ rounds, progress }: ContestContext,
): Promise<Figures[][]> {
	const turns = works.map((work) => ({ work, figures: new Array<Figures>() }));
	const last = Math.min(rounds, mostRounds);
	for (let round = fresh ? 1 : 0; round <= last; round++) {
		progress(`${title}: ${round === 0 ? 'warm-up' : `round ${round} of ${last}`}`);
		// Forth and back: what comes later in a round finds n8n faster or slower than what comes first.
		for (const { work, figures } of round % 2 === 0 ? turns : turns.toReversed()) {
			const result = await work();
			if (round > 0) figures.push(result);
		}
	}
	return turns.map(({ figures }) => figures);
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
