import type { IExecuteFunctions } from 'n8n-workflow';
import { shorten } from '../api/json';
import type { Redactor } from '../api/secrets';
import type { Notices as Noticing } from '../resources/operation';
import { formatRanges } from './ranges';

type Kind = 'info' | 'warning';

interface Notice {
	type: Kind;
	count: number;
	/** The items that it is about, if they were named. */
	items: number[];
}

const LONGEST_LIST = 200;

/** Gathers what the user should know of a run although nothing failed: shown on the finished node. */
export class Notices implements Noticing {
	private readonly notices = new Map<string, Notice>();
	private readonly redactor: Redactor;

	/** @param redactor knows what no notice may show */
	constructor(redactor: Redactor) {
		this.redactor = redactor;
	}

	add(words: string, type: Kind = 'warning', itemIndex?: number): void {
		const notice = this.notices.get(words) ?? { type, count: 0, items: [] };
		notice.count++;
		if (itemIndex !== undefined) notice.items.push(itemIndex);
		this.notices.set(words, notice);
	}

	show(context: IExecuteFunctions): void {
		for (const [words, notice] of this.notices) {
			context.addExecutionHints({
				message: this.redactor.hide(words) + describeItems(notice),
				type: notice.type,
				location: 'outputPane',
			});
		}
	}
}

function describeItems({ count, items }: Notice): string {
	const named = shorten(formatRanges([...items].sort((a, b) => a - b)), LONGEST_LIST);
	if (count === 1) return items.length > 0 ? ` (Item ${named})` : '';
	return items.length > 0 ? ` (${count} items: ${named})` : ` (${count} items)`;
}
