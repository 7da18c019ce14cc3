/** What every case gets. */
export interface CaseContext {
	rounds: number;
	signal: AbortSignal;
	/** Says how far the case has come. */
	progress(words: string): void;
}
