import { servePage, type Listing } from '../paging.ts';
import type { StoredMessage, Team } from '../store.ts';
import type { Handler } from './handler.ts';

/** Newest first, after the lower bound (exclusive), up to the upper one (inclusive). */
export const getMessages: Handler<'message.getAll'> = (
	{ query, team, entry },
	{ settings: { dialect } },
) => {
	const { startDate, endDate } = query;
	const isDay = dialect.datesAreDays;
	const lower = startDate === undefined ? 0 : Date.parse(startDate);
	const upper = endDate === undefined ? Infinity : Date.parse(endDate);
	const from = firstAfter(team, isDay ? startOfDay(lower) + DAY - 1 : lower);
	const to = firstAfter(team, isDay ? startOfDay(upper) - 1 : upper);
	const listing =
		query.inboxIds === undefined
			? newestFirst(team.messages, from, to)
			: ofInboxes(team, from, to, new Set(query.inboxIds));
	return servePage(listing, query, entry, dialect);
};

const DAY = 24 * 60 * 60_000;

function startOfDay(time: number): number {
	return Math.floor(time / DAY) * DAY;
}

/** Index of the first message after the time: messages are sorted by time, so halving finds it. */
function firstAfter({ messages }: Team, time: number): number {
	let low = 0;
	let high = messages.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((messages[middle]?.at ?? Infinity) <= time) low = middle + 1;
		else high = middle;
	}
	return low;
}

function ofInboxes(team: Team, from: number, to: number, inboxIds: Set<string>): Listing {
	const matches = team.messages
		.slice(from, to)
		.filter(({ message }) => message.inboxId !== undefined && inboxIds.has(message.inboxId));
	return newestFirst(matches, 0, matches.length);
}

function newestFirst(messages: StoredMessage[], from: number, to: number): Listing {
	return {
		total: Math.max(0, to - from),
		slice(offset, count) {
			const end = to - offset;
			return messages
				.slice(Math.max(from, end - count), Math.max(from, end))
				.reverse()
				.map(({ message }) => message);
		},
	};
}
