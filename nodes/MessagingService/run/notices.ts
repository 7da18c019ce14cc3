import type { IExecuteFunctions } from 'n8n-workflow';
import type { Notices as Noticing } from '../resources/operation';

type Kind = 'info' | 'warning';

/** Gathers what the user should know of a run although nothing failed: shown on the finished node. */
export class Notices implements Noticing {
	private readonly counts = new Map<string, { count: number; type: Kind }>();

	add(words: string, type: Kind = 'warning'): void {
		const { count } = this.counts.get(words) ?? { count: 0 };
		this.counts.set(words, { count: count + 1, type });
	}

	/** Shows the notices on the node. */
	show(context: IExecuteFunctions): void {
		for (const [words, { count, type }] of this.counts) {
			context.addExecutionHints({
				message: count > 1 ? `${words} (${count} items)` : words,
				type,
				location: 'outputPane',
			});
		}
	}
}
