import type { IDataObject } from 'n8n-workflow';
import { ProcessedMarks } from '../../memory/processed';
import type { Run } from '../operation';
import type { Content } from './content';
import { datesOf, type MessageFilters } from './filters';

// How far back a run reads beyond the newest message of the run before, for those that come late.
const OVERLAP = 24 * 60 * 60_000;
const LEAST_MARKS = 100_000;
/** What is looked up and not taken has to be forgotten again, which costs more than the look. */
const MOST_AT_ONCE = 1_000;

/** A run, as far as what it remembers depends on it. */
type OfAccount = Pick<Run, 'context' | 'account'>;

/**
 * Narrows the filters to what an earlier run with the same filters cannot have seen completely. This only
 * saves reading: which messages are new is decided by their IDs. n8n keeps the moment for workflows that
 * run by themselves; where it is not there, everything is read.
 */
export function sinceEarlierRuns(
	{ context, account }: OfAccount,
	filters: MessageFilters,
	content?: Content,
): MessageFilters {
	const { newest, of } = context.getWorkflowStaticData('node');
	if (typeof newest !== 'number' || of !== fingerprint(account, filters, content)) {
		return filters;
	}
	const since = Math.max(newest - OVERLAP, filters.after?.getTime() ?? -Infinity);
	return { ...filters, after: new Date(since) };
}

/** Remembers how far this run has read. To be called only when the list was read to its end. */
export function rememberRun(
	{ context, account }: OfAccount,
	filters: MessageFilters,
	messages: readonly IDataObject[],
	content?: Content,
): void {
	const data = context.getWorkflowStaticData('node');
	const of = fingerprint(account, filters, content);
	const before = data.of === of ? data.newest : undefined;
	const dates = [...messages.flatMap(datesOf), ...(typeof before === 'number' ? [before] : [])];
	if (dates.length === 0) return;
	// A message that is dated in the future must not hide those that really come until then.
	data.newest = Math.min(
		Date.now(),
		dates.reduce((a, b) => Math.max(a, b)),
	);
	data.of = of;
}

/**
 * Picks the messages that no earlier run of this node returned, and marks them as returned: the oldest
 * ones where there are more than wanted, so that the rest comes with the next runs. Order stays as it is.
 */
export async function takeNew(
	{ context, account }: OfAccount,
	messages: readonly IDataObject[],
	limit: number,
): Promise<IDataObject[]> {
	const marks = new ProcessedMarks(context);
	const markOf = ({ id }: IDataObject) =>
		typeof id === 'string' || typeof id === 'number' ? [`message:${account}:${id}`] : [];
	// Each date is read once: a list of many thousands may come in any order.
	const oldestFirst = messages
		.map((message) => ({ message, age: datesOf(message)[0] ?? 0 }))
		.sort((a, b) => a.age - b.age)
		.map(({ message }) => message);
	const keep = Math.max(LEAST_MARKS, 4 * messages.length);
	const taken = new Set<IDataObject>();
	// As long as all of them are known, ever larger groups are looked up: each look costs as much as is remembered.
	let size = limit;
	for (let next = 0; next < oldestFirst.length && taken.size < limit; ) {
		const group = oldestFirst.slice(next, next + size);
		next += size;
		const before = await marks.set(group.flatMap(markOf), keep);
		const unseen = group.filter((message) => !markOf(message).some((mark) => before.has(mark)));
		size = unseen.length === 0 ? Math.min(2 * size, MOST_AT_ONCE) : limit;
		await marks.unset(unseen.splice(limit - taken.size).flatMap(markOf));
		for (const message of unseen) taken.add(message);
	}
	return messages.filter((message) => taken.has(message));
}

function fingerprint(
	account: string,
	{ inboxIds, after, before }: MessageFilters,
	content?: Content,
): string {
	return JSON.stringify([account, [...inboxIds].sort(), after, before, content]);
}
