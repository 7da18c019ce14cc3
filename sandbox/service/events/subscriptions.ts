import { seeded } from '../identifiers.ts';
import type { Store, Subscription, Team } from '../store.ts';
import type { EventSettings } from './settings.ts';

/** Who gets an event: a subscription, or one that the settings fix, which has no ID. */
export type Subscriber = Omit<Subscription, 'id'> & { id?: string };

/** Those who get a team's event. */
export function subscribersOf(
	team: Team,
	event: string,
	{ subscriptions }: EventSettings,
): Subscriber[] {
	const fixed = subscriptions
		.filter(({ apiKey = seeded.demo.apiKey }) => apiKey === team.apiKey)
		.map(({ url, secret, events = [] }) => ({ url, secret, events }));
	return [...fixed, ...team.subscriptions.values()].filter(
		({ events }) => events.length === 0 || events.includes(event),
	);
}

/** All subscriptions that clients made, with their teams' IDs. */
export function listSubscriptions({ teams }: Store): Array<Subscription & { team: string }> {
	return [...teams.values()].flatMap((team) =>
		[...team.subscriptions.values()].map((subscription) => ({ ...subscription, team: team.id })),
	);
}
