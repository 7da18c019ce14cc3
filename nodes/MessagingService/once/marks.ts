import type { DeduplicationScope, IExecuteFunctions } from 'n8n-workflow';
import type { Clock } from '../api/time';

/** Milliseconds that another process usually takes at most from reading a row to storing it. */
export const PAUSE = 100;
// PostgreSQL, SQLite and MySQL have these words in their messages.
const RECORD_EXISTS = /duplicate|unique/i;

/**
 * A row of marks in n8n's store for processed data, where they outlive the execution and a restart. There is one row for
 * each node, and one for each workflow, which all of its nodes share.
 *
 * The store can only set marks, telling which were set before, and remove marks. Each call rewrites the whole row, so
 * the calls of this process take turns. Other processes do not know about these turns: if two change a row at the same
 * moment, the later change undoes the other one.
 */
export class Marks {
	/** How long it took to set marks the last time, in milliseconds. */
	callTime = 0;
	private readonly helpers: IExecuteFunctions['helpers'];
	private readonly scope: DeduplicationScope;
	private readonly row: string;
	private readonly clock: Pick<Clock, 'now'>;
	/** The last call on each row, for the next one to wait for. */
	private readonly lastCalls: Map<string, Promise<unknown>>;

	constructor(
		context: IExecuteFunctions,
		scope: DeduplicationScope,
		clock: Pick<Clock, 'now'>,
		lastCalls: Map<string, Promise<unknown>>,
	) {
		this.helpers = context.helpers;
		this.scope = scope;
		this.row = `${context.getWorkflow().id}:${scope === 'node' ? context.getNode().id : ''}`;
		this.clock = clock;
		this.lastCalls = lastCalls;
	}

	/**
	 * Sets marks and tells which were set before. There is no other way to ask the store whether a mark is set.
	 *
	 * @returns The marks that were set before, and the clock time from which on other processes rarely undo it.
	 */
	async set(marks: string[]): Promise<{ before: Set<string>; stableAt: number }> {
		if (marks.length === 0) return { before: new Set(), stableAt: this.clock.now() };
		const { checkProcessedAndRecord } = this.helpers;
		const call = async () => await checkProcessedAndRecord(marks, this.scope, { mode: 'entries' });
		return await this.inTurn(async () => {
			const began = this.clock.now();
			const { processed } = await call().catch(async (error: unknown) => {
				// The first mark creates the row, and another process may create it at the same moment.
				if (!RECORD_EXISTS.test(String(error))) throw error;
				return await call();
			});
			const ended = this.clock.now();
			this.callTime = ended - began;
			// The calls of other processes take about as long as this one.
			const stableAt = ended + PAUSE + 2 * this.callTime;
			return { before: new Set(processed.map(String)), stableAt };
		});
	}

	/** Removes marks; those that are not set are ignored. */
	async remove(marks: string[]): Promise<void> {
		if (marks.length === 0) return;
		const { removeProcessed } = this.helpers;
		await this.inTurn(async () => await removeProcessed(marks, this.scope, { mode: 'entries' }));
	}

	/** Makes a call when the earlier calls on the same row have ended. */
	private async inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
		const { lastCalls } = this;
		const result = (lastCalls.get(this.row) ?? Promise.resolve()).then(call);
		const ended = result
			.catch(() => {})
			.then(() => {
				if (lastCalls.get(this.row) === ended) lastCalls.delete(this.row);
			});
		lastCalls.set(this.row, ended);
		return await result;
	}
}
