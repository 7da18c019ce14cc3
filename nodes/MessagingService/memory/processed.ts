import type { IExecuteFunctions } from 'n8n-workflow';
import { Problem } from '../nodeError';

// In the words of PostgreSQL, SQLite and MySQL.
const RECORD_EXISTS = /duplicate|unique/i;

const locks = new Map<string, Promise<unknown>>();

/**
 * Marks that a node leaves in n8n's own store for processed data, where they outlive the execution and a
 * restart. The store can only set a mark and tell whether it was set before, and take marks away again.
 *
 * Runs of the same node in this process take turns, because the store reads all marks of a node and writes
 * them back. Runs on other workers do not know of these turns.
 */
export class ProcessedMarks {
	private readonly context: IExecuteFunctions;
	private readonly owner: string;

	constructor(context: IExecuteFunctions) {
		const { id } = context.getWorkflow();
		if (!id) {
			throw new Problem(
				'The workflow is not saved yet',
				'What was processed is remembered with the workflow. Save it, then run it again.',
			);
		}
		this.context = context;
		this.owner = `${id}:${context.getNode().id}`;
	}

	/**
	 * Sets marks and returns those that were set before.
	 *
	 * @param keep how many marks the node keeps at most, the latest; all when left out
	 */
	async set(marks: readonly string[], keep?: number): Promise<Set<string>> {
		if (marks.length === 0) return new Set();
		const record = async () =>
			await this.context.helpers.checkProcessedAndRecord([...marks], 'node', {
				mode: 'entries',
				maxEntries: keep,
			});
		// The first mark of a node makes its record, which another worker may do at the same moment.
		const { processed } = await record().catch(async (error: unknown) => {
			if (RECORD_EXISTS.test(String(error))) return await record();
			throw error;
		});
		return new Set(processed.map(String));
	}

	/** Takes marks away; those that are not set do not matter. */
	async unset(marks: readonly string[]): Promise<void> {
		if (marks.length === 0) return;
		await this.context.helpers.removeProcessed([...marks], 'node', { mode: 'entries' });
	}

	/** Does work while no other run of this node in this process sets or unsets marks. */
	async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
		const before = locks.get(this.owner) ?? Promise.resolve();
		const turn = before.then(work, work);
		const settled = turn.catch(() => undefined);
		locks.set(this.owner, settled);
		try {
			return await turn;
		} finally {
			if (locks.get(this.owner) === settled) locks.delete(this.owner);
		}
	}
}
