import type {
	DeduplicationItemTypes,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

/** One change of the store: what it was asked to set or take away. */
export interface StoreCall {
	kind: 'set' | 'unset';
	marks: string[];
}

/** n8n's store for processed data, as far as nodes use it, in memory and for a single node. */
export class ProcessedStore implements IDataDeduplicator {
	readonly calls: StoreCall[] = [];
	private entries: string[] | undefined;

	/** Forgets the marks and the calls. */
	clear(): void {
		this.entries = undefined;
		this.calls.length = 0;
	}

	/** Another store with the same marks. */
	copy(): ProcessedStore {
		const copy = new ProcessedStore();
		copy.entries = this.entries && [...this.entries];
		return copy;
	}

	/** A worker that read the marks earlier writes them back, and whatever came after is gone. */
	overwrite(earlier: ProcessedStore): void {
		this.entries = earlier.entries && [...earlier.entries];
	}

	marks(): string[] {
		return [...(this.entries ?? [])];
	}

	get size(): number {
		return this.entries?.length ?? 0;
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: string,
		_context: unknown,
		{ mode, maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		checkCall(scope, mode);
		const marks = items.map(String);
		this.calls.push({ kind: 'set', marks });
		// As n8n has it: entries are appended, doubled ones of the same call too, and the oldest go.
		const before = new Set(this.entries);
		const isNew = (mark: unknown) => !before.has(String(mark));
		const entries = [...(this.entries ?? []), ...marks.filter(isNew)];
		if (maxEntries) entries.splice(0, entries.length - maxEntries);
		this.entries = entries;
		return { new: items.filter(isNew), processed: items.filter((mark) => !isNew(mark)) };
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: string,
		_context: unknown,
		{ mode }: ICheckProcessedOptions,
	): Promise<void> {
		checkCall(scope, mode);
		const marks = items.map(String);
		this.calls.push({ kind: 'unset', marks });
		for (const mark of marks) {
			const index = this.entries?.indexOf(mark) ?? -1;
			if (index !== -1) this.entries?.splice(index, 1);
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

/** Marks of a node are entries in its own scope; n8n keeps what is asked for otherwise elsewhere. */
function checkCall(scope: string, mode: string): void {
	if (scope !== 'node' || mode !== 'entries') throw new Error(`${scope}, ${mode}: not as promised`);
}
