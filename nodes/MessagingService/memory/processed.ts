import type { DeduplicationScope, IExecuteFunctions } from 'n8n-workflow';
import { Problem } from '../nodeError';

// In the words of PostgreSQL, SQLite and MySQL.
const RECORD_EXISTS = /duplicate|unique/i;
// In the words of n8n.
const OTHER_KIND = /incompatible setting/i;

const turns = new Map<string, Promise<unknown>>();

/**
 * A set of marks in n8n's own store for processed data, where they outlive the execution and a restart. There is
 * one for each node and one for each workflow, which all of its nodes share.
 *
 * The store can only set marks, telling which were set before, and take marks away. Each call reads and writes
 * the whole set, so calls in this process take turns. Other workers do not know of these turns.
 */
export class ProcessedMarks {
	private readonly context: IExecuteFunctions;
	private readonly scope: DeduplicationScope;
	private readonly owner: string;

	constructor(context: IExecuteFunctions, scope: DeduplicationScope = 'node') {
		const { id } = context.getWorkflow();
		if (!id) {
			throw new Problem(
				'The workflow is not saved yet',
				'What was processed is remembered with the workflow. Save it, then run it again.',
			);
		}
		this.context = context;
		this.scope = scope;
		this.owner = scope === 'node' ? `${id}:${context.getNode().id}` : id;
	}

	/**
	 * Sets marks and returns those that were set before.
	 *
	 * @param keep how many marks the set holds at most, the latest; all when left out
	 */
	async set(marks: readonly string[], keep?: number): Promise<Set<string>> {
		if (marks.length === 0) return new Set();
		// n8n stores a mark as often as one call names it, and takes it away once.
		const distinct = [...new Set(marks)];
		const record = async () =>
			await this.context.helpers.checkProcessedAndRecord(distinct, this.scope, {
				mode: 'entries',
				maxEntries: keep,
			});
		const { processed } = await this.inTurn(
			async () =>
				await record().catch(async (error: unknown) => {
					// The first mark makes the record, which another worker may do at the same moment.
					if (RECORD_EXISTS.test(String(error))) return await record();
					if (!OTHER_KIND.test(String(error))) throw error;
					throw new Problem(
						'What this workflow has processed is stored in another form',
						'A Remove Duplicates node of this workflow compares numbers or dates with the scope "Workflow". Set its scope to "Node", and clear its history with the scope "Workflow".',
					);
				}),
		);
		return new Set(processed.map(String));
	}

	/** Takes marks away; those that are not set do not matter. */
	async unset(marks: readonly string[]): Promise<void> {
		if (marks.length === 0) return;
		await this.inTurn(
			async () =>
				await this.context.helpers.removeProcessed([...marks], this.scope, { mode: 'entries' }),
		);
	}

	private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
		const before = turns.get(this.owner) ?? Promise.resolve();
		const turn = before.then(work);
		const settled = turn.catch(() => undefined);
		turns.set(this.owner, settled);
		try {
			return await turn;
		} finally {
			if (turns.get(this.owner) === settled) turns.delete(this.owner);
		}
	}
}
