import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { asObject, isTextOrNumber } from '../../api/json';
import { Marks } from '../../memory/marks';
import type { Run } from '../operation';
import { isStartedByHand } from '../startedByHand';
import type { MessageFilters } from './filters';
import { dateOf, oldestFirst } from './message';
import type { Found, Search } from './sharedReads';

/** How far before the newest message a run looks again, for messages that show up late. */
const LOOK_BACK_MS = 60 * 60_000;
/** So many IDs are remembered of a list that was read whole. */
const MAX_IDS = 5_000;
/** So many of one that may lack some, as what is older than these may still be to come; and of all lists of a query. */
const MAX_IDS_OF_PARTS = 50_000;
/** So many queries of earlier runs are remembered, such as the contacts that items name. */
const MAX_QUERIES = 1_000;

const TAKES_NOTHING =
	'You started this run by hand, so "Only New" remembers nothing: the next run returns these messages again.';
const FORGOTTEN =
	'n8n has lost what earlier runs returned, so messages may come again. In queue mode, this happens in every run: put a Remove Duplicates node behind this one. After the node was renamed, it happens once.';
/** Set in n8n's store for processed data by the first run, which outlives the static data of the workflow. */
const FIRST_RUN = 'onlyNew';

/** What has been returned of a query: all up to a moment, and the messages with these IDs. */
interface Returned {
	upTo: number;
	ids: Array<string | number>;
}

/**
 * What a node has returned in earlier runs, for each account and query, in the static data of the workflow. It is
 * written when everything that a run took leaves the node. What a crash or an overlapping run forgets comes again.
 */
export class NewMessages {
	private readonly run: Run;
	/** What this run returned, again or for the first time, by query. */
	private readonly returned = new Map<string, Returned>();

	constructor(run: Run) {
		this.run = run;
	}

	/** Narrows the filters to what earlier runs may not have returned. */
	since(filters: MessageFilters): MessageFilters {
		const { upTo } = this.returnedEarlier(queryKey(this.run.accountKey, filters));
		if (upTo === -Infinity) return filters;
		return { ...filters, after: new Date(Math.max(upTo, filters.after?.getTime() ?? upTo)) };
	}

	/** Picks the new ones of the messages that were found: the oldest where there are more than wanted. */
	take({ filters, limit }: Search, { items, newest, isWhole }: Found): IDataObject[] {
		const key = queryKey(this.run.accountKey, filters);
		const earlier = this.returnedEarlier(key);
		const known = new Set<unknown>([...earlier.ids, ...(this.returned.get(key)?.ids ?? [])]);
		const found = oldestFirst(items);
		const fresh = found.filter(({ id }) => !known.has(id));
		const taken = new Set(fresh.slice(0, limit));

		const returned = found.filter((message) => taken.has(message) || known.has(message.id));
		const next = fresh.length > limit ? dateOf(fresh[limit]) : newest;
		const now = isWhole
			? returnedInFull(Math.max(earlier.upTo, doneUpTo(filters, next)), returned)
			: { upTo: earlier.upTo, ids: [...earlier.ids, ...idsOf(returned)] };
		this.note(key, now);
		return items.filter((message) => taken.has(message));
	}

	/** Notes what the next runs need not return, as one of the items of this run found it. */
	private note(key: string, { upTo, ids }: Returned): void {
		const inRun = this.returned.get(key) ?? { upTo: Infinity, ids: [] };
		this.returned.set(key, {
			// Items may have the same query with other dates. Of those, what is older may still be to come.
			upTo: Math.min(inRun.upTo, upTo),
			ids: [...new Set([...inRun.ids, ...ids])].slice(-MAX_IDS_OF_PARTS),
		});
	}

	/**
	 * Remembers what this run took. To be called once, when all of it leaves the node. Warns where n8n has lost what
	 * earlier runs remembered.
	 */
	async remember(): Promise<void> {
		const { context, notices } = this.run;
		if (this.returned.size === 0) return;
		if (isStartedByHand(context)) {
			notices.add(TAKES_NOTHING, 'info');
			return;
		}
		const earlier = Object.entries(this.stored);
		if (earlier.length === 0) {
			const marks = await new Marks(context, 'node').set([FIRST_RUN]);
			if (marks.has(FIRST_RUN)) notices.add(FORGOTTEN);
		}
		const others = earlier.filter(([key]) => !this.returned.has(key)).slice(-MAX_QUERIES);
		const returned: IDataObject = Object.fromEntries([...others, ...this.returned]);
		context.getWorkflowStaticData('node').returned = returned;
	}

	private returnedEarlier(key: string): Returned {
		const known = this.stored[key];
		const { upTo, ids } = asObject(known);
		return {
			// JSON has no infinite numbers.
			upTo: typeof upTo === 'number' ? upTo : -Infinity,
			ids: Array.isArray(ids) ? ids.filter(isTextOrNumber) : [],
		};
	}

	private get stored(): IDataObject {
		const { returned } = this.run.context.getWorkflowStaticData('node');
		return asObject(returned);
	}
}

/** Names a query. Its dates do not belong to it, since they move from run to run, as `$today` does. */
function queryKey(
	accountKey: string,
	{ inboxIds, contact, inbound, statuses, text }: MessageFilters,
): string {
	const lists = [inboxIds, contact?.numbers ?? [], statuses].map((list) => [...list].sort());
	const query = JSON.stringify([accountKey, lists, inbound, text]);
	return createHash('sha256').update(query).digest('base64').slice(0, 16);
}

/** What was returned of a whole list, the oldest first. What is older than the IDs go back is not looked at again. */
function returnedInFull(upTo: number, messages: readonly IDataObject[]): Returned {
	const forgotten = dateOf(messages.at(-MAX_IDS - 1) ?? {}) ?? -Infinity;
	return { upTo: Math.max(upTo, forgotten), ids: idsOf(messages.slice(-MAX_IDS)) };
}

function idsOf(messages: readonly IDataObject[]): Returned['ids'] {
	return messages.map(({ id }) => id).filter(isTextOrNumber);
}

/** Up to when nothing is looked at again, by the date of what is to be returned next, or else of the newest message. */
function doneUpTo({ statuses, before }: MessageFilters, next = -Infinity): number {
	// A status may change later, also that of an old message.
	if (statuses.length > 0) return -Infinity;
	// A message that is dated in the future must not hide those that really come until then.
	return Math.min(next, before?.getTime() ?? Infinity, Date.now()) - LOOK_BACK_MS;
}
