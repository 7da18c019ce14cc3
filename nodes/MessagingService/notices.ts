import type { IExecuteFunctions } from 'n8n-workflow';

/** Gathers what the user should know of a run although nothing failed: shown on the finished node. */
export class Notices {
	private readonly counts = new Map<string, number>();

	/** Notes something about an item. The same words for several items become one notice. */
	add(words: string): void {
		this.counts.set(words, (this.counts.get(words) ?? 0) + 1);
	}

	/** Shows the notices on the node. */
	show(context: IExecuteFunctions): void {
		for (const [words, count] of this.counts) {
			context.addExecutionHints({
				message: count > 1 ? `${words} (${count} items)` : words,
				type: 'warning',
				location: 'outputPane',
			});
		}
	}
}
