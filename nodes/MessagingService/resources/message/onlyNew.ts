import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { isObject, isTextOrNumber } from '../../api/json';
import { Marks } from '../../memory/marks';
import type { Run } from '../operation';
import { dateOf, type MessageFilters } from './filters';
import type { Found } from './readings';

/** How far before the newest message a run looks again, for messages that show up late. */
const OVERLAP = 60 * 60_000;
const MOST_IDS = 5_000;
/** So many queries of earlier runs are remembered, such as the contacts that items name. */
const MOST_QUERIES = 1_000;

const TAKES_NOTHING =
	'You started this run by hand, so "Only New" takes nothing: the same messages come again in the next run.';
const FORGOTTEN =
	'n8n has lost what earlier runs returned, so messages may come again. In queue mode, this happens in every run: put a Remove Duplicates node behind this one. After the node was renamed, it happens once.';
/** Set in n8n's store for processed data by the first run, which outlives the static data of the workflow. */
const FIRST_RUN = 'onlyNew';

/** What the runs of a query have returned: all up to a moment, and after it the messages with these IDs. */
interface Returned {
	upTo: number;
	ids: Array<string | number>;
}

/** What is returned of a query after this run, and up to when the next run need not look again. */
interface ReturnedNow {
	/** The dates of the messages, by their IDs. */
	dates: Map<string | number, number | undefined>;
	upTo: number;
}

/**
 * What a node has returned in earlier runs, for each account and query, in the static data of the workflow. It is
 * written when everything that a run took leaves the node. What a crash or an overlapping run forgets comes again.
 */
export class NewMessages {
	private readonly run: Run;
	private readonly isByHand: boolean;
	/** What this run returned, again or for the first time, by query. */
	private readonly returned = new Map<string, ReturnedNow>();

	constructor(run: Run) {
		this.run = run;
		this.isByHand = run.context.getMode() === 'manual';
	}

	/** Narrows the filters to what earlier runs may not have returned. */
	since(filters: MessageFilters): MessageFilters {
		const { upTo } = this.returnedEarlier(keyOf(this.run.account, filters));
		if (upTo === -Infinity) return filters;
		return { ...filters, after: new Date(Math.max(upTo, filters.after?.getTime() ?? upTo)) };
	}

	/** Picks the new ones of the messages that were found: the oldest where there are more than wanted. */
	take(
		filters: MessageFilters,
		{ messages, newest, isWhole }: Found,
		limit: number,
	): IDataObject[] {
		const key = keyOf(this.run.account, filters);
		const before = this.returnedEarlier(key);
		// Of other items with this query, but other dates, only the IDs count: what is older may still be to come.
		const now = this.returned.get(key) ?? { dates: new Map(), upTo: Infinity };
		const known = new Set<unknown>([...before.ids, ...now.dates.keys()]);
		// In a list that begins with the newest, the last one of a moment is the oldest.
		const oldestFirst = [...messages].reverse().sort((a, b) => (dateOf(a) ?? 0) - (dateOf(b) ?? 0));
		const isKnown = (message: IDataObject) =>
			known.has(message.id) || (dateOf(message) ?? Infinity) <= before.upTo;
		const fresh = oldestFirst.filter((message) => !isKnown(message));
		const taken = new Set(fresh.slice(0, limit));
		const isAll = taken.size === fresh.length;
		const latest = isAll
			? newest
			: [...taken].reduce((date, each) => Math.max(date, dateOf(each) ?? date), -Infinity);
		// What a list lacks may come with the next run, be it new or known.
		if (!isWhole) for (const id of before.ids) now.dates.set(id, undefined);
		for (const message of oldestFirst) {
			const isReturned = taken.has(message) || isKnown(message);
			if (isReturned && isTextOrNumber(message.id)) now.dates.set(message.id, dateOf(message));
		}
		const done = isWhole ? doneUpTo(filters, latest) : -Infinity;
		const upTo = Math.min(now.upTo, Math.max(before.upTo, done));
		this.returned.set(key, { ...now, upTo });
		if (this.isByHand) this.run.notices.add(TAKES_NOTHING, 'info');
		return messages.filter((message) => taken.has(message));
	}

	/**
	 * Remembers what this run took. To be called once, when all of it leaves the node. Warns where n8n has lost what
	 * earlier runs remembered.
	 */
	async remember(): Promise<void> {
		if (this.isByHand || this.returned.size === 0) return;
		const knowsNone = Object.keys(this.stored).length === 0;
		const others = Object.entries(this.stored).filter(([key]) => !this.returned.has(key));
		const own = [...this.returned].map(([key, returned]) => [key, summarize(returned)] as const);
		const entries = [...others.slice(-MOST_QUERIES), ...own];
		this.run.context.getWorkflowStaticData('node').returned = Object.fromEntries(entries);
		if (knowsNone) await this.warnUnlessFirst();
	}

	private async warnUnlessFirst(): Promise<void> {
		const { context, notices } = this.run;
		try {
			const before = await new Marks(context, 'node').set([FIRST_RUN]);
			if (before.has(FIRST_RUN)) notices.add(FORGOTTEN);
		} catch (error) {
			context.logger.warn('Whether earlier runs have returned messages is not known', { error });
		}
	}

	private returnedEarlier(key: string): Returned {
		const known = this.stored[key];
		const { upTo, ids } = isObject(known) ? known : {};
		return {
			// JSON has no infinite numbers.
			upTo: typeof upTo === 'number' ? upTo : -Infinity,
			ids: Array.isArray(ids) ? ids.filter(isTextOrNumber) : [],
		};
	}

	private get stored(): IDataObject {
		const { returned } = this.run.context.getWorkflowStaticData('node');
		return isObject(returned) ? returned : {};
	}
}

/** Names a query. Its dates do not belong to it, since they move from run to run, as `$today` does. */
function keyOf(
	account: string,
	{ inboxIds, contact, inbound, statuses, text }: MessageFilters,
): string {
	const lists = [inboxIds, contact?.numbers ?? [], statuses].map((list) => [...list].sort());
	const query = JSON.stringify([account, lists, inbound, text]);
	return createHash('sha256').update(query).digest('base64').slice(0, 16);
}

/** Up to when nothing is looked at again. */
function doneUpTo({ statuses, before }: MessageFilters, latest = -Infinity): number {
	// A status may change later, also that of an old message.
	if (statuses.length > 0) return -Infinity;
	// A message that is dated in the future must not hide those that really come until then.
	return Math.min(latest, before?.getTime() ?? Infinity, Date.now()) - OVERLAP;
}

/** The messages after a moment by their IDs; of more than can be kept the latest, and all up to the others. */
function summarize({ dates, upTo }: ReturnedNow): Returned {
	const later = [...dates]
		.filter(([, date]) => (date ?? Infinity) > upTo)
		.sort(([, a], [, b]) => (a ?? 0) - (b ?? 0));
	const [, dropped = upTo] = later.at(-MOST_IDS - 1) ?? [];
	return { upTo: Math.max(upTo, dropped), ids: later.slice(-MOST_IDS).map(([id]) => id) };
}
