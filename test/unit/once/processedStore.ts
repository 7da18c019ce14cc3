import type {
	DeduplicationItemTypes,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

const SCOPES = ['node', 'workflow'];

/** n8n's store for processed data, as far as nodes use it, in memory: a set for one node and one for its workflow. */
export class ProcessedStore implements IDataDeduplicator {
	private sets = new Map<string, string[]>();

	/** Forgets the marks. */
	clear(): void {
		this.sets.clear();
	}

	/** Another store with the same marks. */
	copy(): ProcessedStore {
		const copy = new ProcessedStore();
		copy.overwrite(this);
		return copy;
	}

	/** A worker that read the marks earlier writes them back, and whatever came after is gone. */
	overwrite(earlier: ProcessedStore, scopes: Iterable<string> = SCOPES): void {
		for (const scope of scopes) this.sets.set(scope, [...(earlier.sets.get(scope) ?? [])]);
	}

	/** How many marks there are. */
	get size(): number {
		return [...this.sets.values()].reduce((sum, { length }) => sum + length, 0);
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: string,
		_context: unknown,
		{ mode }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		checkCall(scope, mode);
		const marks = items.map(String);
		// As n8n has it: entries are appended, doubled ones of the same call too.
		const entries = this.sets.get(scope) ?? [];
		const before = new Set(entries);
		const isNew = (mark: unknown) => !before.has(String(mark));
		entries.push(...marks.filter(isNew));
		this.sets.set(scope, entries);
		return { new: items.filter(isNew), processed: items.filter((mark) => !isNew(mark)) };
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: string,
		_context: unknown,
		{ mode }: ICheckProcessedOptions,
	): Promise<void> {
		checkCall(scope, mode);
		const entries = this.sets.get(scope) ?? [];
		for (const mark of items.map(String)) {
			const index = entries.indexOf(mark);
			if (index !== -1) entries.splice(index, 1);
		}
	}

	async checkProcessedItemsAndRecord(): Promise<never> {
		throw new Error('not part of this store');
	}

	async clearAllProcessedItems(): Promise<never> {
		throw new Error('not part of this store');
	}

	async getProcessedDataCount(): Promise<number> {
		return this.size;
	}
}

function checkCall(scope: string, mode: string): void {
	if (!SCOPES.includes(scope) || mode !== 'entries') {
		throw new Error(`${scope}, ${mode}: not as promised`);
	}
}
