import type { IDataObject } from 'n8n-workflow';
import { asObject } from '../../api/json';
import { BoundedMap } from '../../memory/boundedMap';
import { Marks } from '../../memory/marks';
import { Problem } from '../../problem';
import type { Run } from '../operation';
import { isStartedByHand } from '../startedByHand';
import type { MessageFilters } from './filters';
import { dateOf, oldestFirst } from './message';
import {
	hashOf,
	idOf,
	inEither,
	readReturned,
	type Returned,
	toStored,
	withMessages,
	withoutOld,
} from './returned';
import type { Found, Search } from './sharedReads';

/** How far before the newest message a run looks again, for messages that show up late. */
const LOOK_BACK_MS = 60 * 60_000;
/** The most queries of earlier runs to remember. There may be many, such as one for each contact. */
const MAX_QUERIES = 10_000;
/** The most runs that n8n may try again at the same time. */
const MAX_RUNS = 20;

const TAKES_NOTHING =
	'Started by hand, so "Only New" remembers nothing: the next run returns these messages again. To leave out old ones, set "After".';
const FORGOTTEN =
	'n8n has lost what earlier runs returned, so messages may come again. In queue mode and behind a Wait node, put a Remove Duplicates node behind this one.';
/** Where the returned messages of each node are in the workflow's static data, beside what Code nodes may keep there. */
const STORED_AS = 'messagingServiceReturned';
/** The first run that succeeds sets this mark in n8n's store for processed data, which outlives the static data. */
const FIRST_RUN = 'onlyNew';

/**
 * What the nodes of this process have returned last, by node and query. The static data of an execution may lack some of
 * it: n8n reads it when the execution begins, and writes all of it back when the execution ends.
 */
const latest = new BoundedMap<string, Returned>(MAX_QUERIES);
/** What was stored before a try whose output n8n may discard, by run: the next try of the run begins there again. */
const beforeTries = new BoundedMap<string, IDataObject>(MAX_RUNS);

/**
 * The messages that a node has returned in earlier runs, per account and query, in the workflow's static data. They are
 * stored only once the output of a run is final. If a crash loses some, or two runs end at the same moment, these
 * messages are returned again.
 *
 * An example: a run finds messages of 9:00 and 12:00. It remembers the moment 11:00, so that the next run reads from
 * there, and the message of 12:00. The next run finds those of 11:30, which is late, 12:00 and 12:10, and returns the
 * first and the last of them.
 */
export class NewMessages {
	private readonly run: Run;
	/** What earlier runs returned, by query, as it was read from the static data. */
	private readonly earlier = new Map<string, Returned>();
	/** What to remember after this run, by query. */
	private readonly returned = new Map<string, Returned>();
	/** The queries whose lists could not be read to their end. */
	private readonly unfinished = new Set<string>();
	private checking?: Promise<void>;
	/** Whether no earlier run has stored anything. */
	private isFirst = false;

	constructor(run: Run) {
		this.run = run;
		if (!run.context.getNode().retryOnFail) return;
		const before = beforeTries.get(this.name);
		if (before) this.store(before);
		beforeTries.delete(this.name);
	}

	/** Narrows the filters to messages that earlier runs may not have returned. */
	since(filters: MessageFilters): MessageFilters {
		const { upTo } = this.returnedEarlier(queryKey(this.run.accountKey, filters));
		if (upTo === -Infinity) return filters;
		return { ...filters, after: new Date(Math.max(upTo, filters.after?.getTime() ?? upTo)) };
	}

	/**
	 * Checks, once for all items, that n8n has handed over what earlier runs have returned, and warns if not. It does not
	 * when an execution is retried with the workflow as it was then.
	 *
	 * @throws {Problem} when a retry would return all messages again.
	 */
	async check(): Promise<void> {
		await (this.checking ??= this.checkOnce());
	}

	private async checkOnce(): Promise<void> {
		const { context, notices } = this.run;
		if (isStartedByHand(context) || Object.keys(this.stored).length > 0) return;
		// The store tells whether a mark is set only by setting it.
		const marks = new Marks(context, 'node');
		this.isFirst = !(await marks.set([FIRST_RUN])).has(FIRST_RUN);
		if (this.isFirst) return await marks.unset([FIRST_RUN]);
		if (context.getMode() !== 'retry') return notices.add(FORGOTTEN);
		throw new Problem(
			'This retry does not know which messages earlier runs have returned',
			'Retry the execution with the currently saved workflow, or let the next run return what is new.',
		);
	}

	/** Picks the new messages among those that were found; if there are more than the limit, the oldest. */
	take({ filters, limit }: Search, { items, newest, isWhole, gap }: Found): IDataObject[] {
		const key = queryKey(this.run.accountKey, filters);
		const earlier = this.returnedEarlier(key);
		const inRun = this.returned.get(key);
		const { messages: known } = inRun ?? earlier;
		const isNew = (message: IDataObject) =>
			(dateOf(message) ?? Infinity) > earlier.upTo && !known.has(idOf(message));
		const fresh = oldestFirst(items).filter(isNew);
		const taken = new Set(fresh.slice(0, limit));
		const next = fresh.length > limit ? dateOf(fresh[limit]) : newest;
		// A list that may lack some says nothing of what need not be looked at again.
		const upTo = isWhole ? Math.max(earlier.upTo, doneUpTo(filters, next)) : earlier.upTo;
		// Items with the same query may have different dates. The earliest moment counts, so that no message is lost.
		const moment = Math.min(inRun?.upTo ?? Infinity, upTo);
		this.returned.set(key, withMessages({ upTo: moment, messages: known }, taken));
		if (gap) this.unfinished.add(key);
		return items.filter((message) => taken.has(message));
	}

	/**
	 * Stores what this run has returned, before any other run can look for it.
	 *
	 * @param isFinal whether n8n keeps the output. Else it may try again, and then the same messages are new once more.
	 */
	async remember(isFinal: boolean): Promise<void> {
		const { context, notices } = this.run;
		if (this.returned.size === 0) return;
		if (isStartedByHand(context)) {
			notices.add(TAKES_NOTHING, 'info');
			return;
		}
		const stored = Object.entries(this.stored);
		const others = stored.filter(([key]) => !this.returned.has(key)).slice(-MAX_QUERIES);
		const ofThisRun = [...this.returned].map(([key, returned]) => {
			const kept = withoutOld(returned, this.unfinished.has(key));
			if (isFinal) latest.set(this.nameOf(key), kept);
			return [key, toStored(kept)];
		});
		if (!isFinal) beforeTries.set(this.name, this.stored);
		this.store(Object.fromEntries([...others, ...ofThisRun]));
		// Without the mark, `check` notices less, but nothing of what was returned is lost.
		if (this.isFirst) await new Marks(context, 'node').set([FIRST_RUN]).catch(() => {});
	}

	/** Names this run of the node, the same for all tries of Retry On Fail. */
	private get name(): string {
		const { context } = this.run;
		const { $runIndex } = context.getWorkflowDataProxy(0);
		return this.nameOf(`${context.getExecutionId()}:${$runIndex}`);
	}

	/** Names something of this node, such as a query, for this process. */
	private nameOf(key: string): string {
		const { context } = this.run;
		return [context.getWorkflow().id, context.getNode().id, key].join(':');
	}

	private returnedEarlier(key: string): Returned {
		const stored = this.earlier.get(key) ?? readReturned(this.stored[key]);
		this.earlier.set(key, stored);
		// Another run may have ended since this one began to read.
		const inProcess = latest.get(this.nameOf(key));
		return inProcess ? inEither(stored, inProcess) : stored;
	}

	private store(returned: IDataObject): void {
		const { context } = this.run;
		const data = context.getWorkflowStaticData('global');
		data[STORED_AS] = { ...asObject(data[STORED_AS]), [context.getNode().id]: returned };
	}

	private get stored(): IDataObject {
		const { context } = this.run;
		const ofNodes = asObject(context.getWorkflowStaticData('global')[STORED_AS]);
		return asObject(ofNodes[context.getNode().id]);
	}
}

/** Returns the key of a query. Dates are not part of it, since they change from run to run, as with `$today`. */
function queryKey(
	accountKey: string,
	{ inboxIds, contact, inbound, statuses, text }: MessageFilters,
): string {
	const lists = [inboxIds, contact?.numbers ?? [], statuses].map((list) => [...list].sort());
	return hashOf(JSON.stringify([accountKey, lists, inbound, text]));
}

/** Up to when messages are not looked at again. `next` is the date of the next one to return, or of the newest one. */
function doneUpTo({ statuses, before }: MessageFilters, next = -Infinity): number {
	// With a status filter, there is none: the status of an old message may still change.
	if (statuses.length > 0) return -Infinity;
	// A message dated in the future must not hide messages that arrive before that date.
	return Math.min(next, before?.getTime() ?? Infinity, Date.now()) - LOOK_BACK_MS;
}
