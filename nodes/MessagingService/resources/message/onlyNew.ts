import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { ProcessedMarks } from '../../memory/processed';
import { datesOf, type MessageFilters } from './filters';

// How far back a run reads beyond the newest message of the run before, for those that come late.
const OVERLAP = 24 * 60 * 60_000;
const LEAST_MARKS = 100_000;

/**
 * Narrows the filters to what an earlier run with the same filters cannot have seen completely. This only
 * saves reading: which messages are new is decided by their IDs. n8n keeps the moment for workflows that
 * run by themselves; where it is not there, everything is read.
 */
export function sinceEarlierRuns(
	context: IExecuteFunctions,
	filters: MessageFilters,
): MessageFilters {
	const { newest, of } = context.getWorkflowStaticData('node');
	if (typeof newest !== 'number' || of !== fingerprint(filters)) return filters;
	const since = Math.max(newest - OVERLAP, filters.after?.getTime() ?? -Infinity);
	return { ...filters, after: new Date(since) };
}

/** Remembers how far this run has read. To be called only when the list was read to its end. */
export function rememberRun(
	context: IExecuteFunctions,
	filters: MessageFilters,
	messages: readonly IDataObject[],
): void {
	const data = context.getWorkflowStaticData('node');
	const before = data.of === fingerprint(filters) ? data.newest : undefined;
	const dates = [...messages.flatMap(datesOf), ...(typeof before === 'number' ? [before] : [])];
	if (dates.length === 0) return;
	// A message that is dated in the future must not hide those that really come until then.
	data.newest = Math.min(
		Date.now(),
		dates.reduce((a, b) => Math.max(a, b)),
	);
	data.of = fingerprint(filters);
}

/**
 * Picks the messages that no earlier run of this node returned, and marks them as returned: the oldest
 * ones where there are more than wanted, so that the rest comes with the next runs. Order stays as it is.
 */
export async function takeNew(
	context: IExecuteFunctions,
	messages: readonly IDataObject[],
	limit: number,
): Promise<IDataObject[]> {
	const marks = new ProcessedMarks(context);
	const oldestFirst = [...messages].sort((a, b) => age(a) - age(b));
	const keep = Math.max(LEAST_MARKS, 4 * messages.length);
	const taken = new Set<IDataObject>();
	await marks.exclusively(async () => {
		for (let next = 0; next < oldestFirst.length && taken.size < limit; ) {
			const group = oldestFirst.slice(next, next + limit - taken.size);
			const before = await marks.set(group.flatMap(markOf), keep);
			for (const message of group) {
				if (!markOf(message).some((mark) => before.has(mark))) taken.add(message);
			}
			next += group.length;
		}
	});
	return messages.filter((message) => taken.has(message));
}

function markOf({ id }: IDataObject): string[] {
	return typeof id === 'string' || typeof id === 'number' ? [`message:${id}`] : [];
}

function age(message: IDataObject): number {
	return datesOf(message)[0] ?? 0;
}

function fingerprint({ inboxIds, after, before }: MessageFilters): string {
	return JSON.stringify([[...inboxIds].sort(), after, before]);
}
