import type { DeduplicationScope, IExecuteFunctions } from 'n8n-workflow';
import type { Clock } from '../../api/time';
import { Problem } from '../../n8n/problem';

// Words in the error messages of PostgreSQL, SQLite and MySQL.
const RECORD_EXISTS = /duplicate|unique/i;

/** A change of a row that waits for its turn. */
interface Change {
	kind: 'set' | 'remove';
	marks: readonly string[];
	resolve(result: Changed): void;
	reject(error: unknown): void;
}

/** What a change of a row tells. */
interface Changed {
	/** The marks that were set before. */
	before: Set<string>;
	/** Milliseconds that the call took, without the wait for its turn. */
	took: number;
}

/** The changes that wait for each row, while one of them is being made. */
const waiting = new Map<string, Change[]>();

/**
 * A row of marks in n8n's store for processed data, where they outlive the execution and a restart. There is
 * one for each node and one for each workflow, which all of its nodes share.
 *
 * The store can only set marks, telling which were set before, and take marks away. Each call reads and writes
 * the whole row, so calls of this process take turns, and those that wait are made together. Other processes do not
 * know of these turns: of two that change a row at the same moment, the later write undoes the other one.
 */
export class Marks {
	private readonly context: IExecuteFunctions;
	private readonly scope: DeduplicationScope;
	private readonly row: string;
	private readonly clock: Pick<Clock, 'now'>;

	constructor(context: IExecuteFunctions, scope: DeduplicationScope, clock: Pick<Clock, 'now'>) {
		const { id } = context.getWorkflow();
		if (!id) {
			throw new Problem(
				'The workflow is not saved yet',
				'What was processed is remembered with the workflow. Save it, then run it again.',
			);
		}
		this.context = context;
		this.scope = scope;
		this.clock = clock;
		this.row = scope === 'node' ? `${id}:${context.getNode().id}` : id;
	}

	/** Sets marks and tells which were set before: the only way to ask the store whether a mark is set. */
	async set(marks: readonly string[]): Promise<Changed> {
		return await this.change('set', marks);
	}

	/** Removes marks; those that are not set are ignored. */
	async remove(marks: readonly string[]): Promise<void> {
		await this.change('remove', marks);
	}

	private async change(kind: Change['kind'], marks: readonly string[]): Promise<Changed> {
		if (marks.length === 0) return { before: new Set(), took: 0 };
		return await new Promise((resolve, reject) => {
			const change: Change = { kind, marks, resolve, reject };
			const others = waiting.get(this.row);
			if (others) others.push(change);
			else void this.makeAll([change]);
		});
	}

	/** Makes changes until none waits. */
	private async makeAll(changes: Change[]): Promise<void> {
		waiting.set(this.row, changes);
		while (changes.length > 0) {
			const { kind } = changes[0];
			const end = changes.findIndex((change) => change.kind !== kind);
			const together = changes.splice(0, end === -1 ? changes.length : end);
			try {
				// Each mark only once: n8n stores a mark as often as one call names it, but removes only one of them.
				const marks = [...new Set(together.flatMap((change) => change.marks))];
				const began = this.clock.now();
				const before = kind === 'set' ? await this.callSet(marks) : await this.callRemove(marks);
				const took = this.clock.now() - began;
				for (const change of together) {
					change.resolve({ before: new Set(before), took });
					// As if they had been made one after the other: what one has set, the next one finds.
					for (const mark of change.marks) before.add(mark);
				}
			} catch (error) {
				for (const change of together) change.reject(error);
			}
		}
		waiting.delete(this.row);
	}

	private async callSet(marks: string[]): Promise<Set<string>> {
		const { checkProcessedAndRecord } = this.context.helpers;
		const call = async () => await checkProcessedAndRecord(marks, this.scope, { mode: 'entries' });
		const { processed } = await call().catch(async (error: unknown) => {
			// The first mark creates the row, which another process may do at the same moment.
			if (!RECORD_EXISTS.test(String(error))) throw error;
			return await call();
		});
		return new Set(processed.map(String));
	}

	private async callRemove(marks: string[]): Promise<Set<string>> {
		await this.context.helpers.removeProcessed(marks, this.scope, { mode: 'entries' });
		return new Set();
	}
}
