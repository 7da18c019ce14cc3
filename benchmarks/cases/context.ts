import type { Row } from '../comparison.ts';

/** What every case gets. */
export interface CaseContext {
	/** How often everything is measured, after a warm-up. */
	rounds: number;
	/** The size of a task, which is smaller where one only wants to see that everything works. */
	scaled(size: number): number;
	/** Breaks the case off. */
	signal: AbortSignal;
	/** Says how far the case has come. */
	progress(words: string): void;
}

/** Measures one kind of work, and gives the lines of its table. */
export type Case = (context: CaseContext) => Promise<Row[]>;
