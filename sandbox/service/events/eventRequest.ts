import { seeded } from '../identifiers.ts';
import type { Store } from '../store.ts';
import type { Delivery } from './delivery.ts';
import type { TeamEvent } from './event.ts';
import type { Outbox } from './outbox.ts';

/** An event to send without anything having happened: a received message unless said otherwise. */
export interface EventRequest extends Partial<Omit<TeamEvent, 'team'>> {
	/** API key of the team; the demo team's unless given. */
	apiKey?: string;
}

/** Sends the event, with the team's newest message unless data are given. Undefined without such a team. */
export function sendEvent(
	{ teams }: Store,
	outbox: Outbox,
	{ apiKey = seeded.demo.apiKey, event = 'message.received', data, ...more }: EventRequest = {},
): Delivery[] | undefined {
	const team = teams.get(apiKey);
	if (team === undefined) return undefined;
	const newest = team.messages.at(-1)?.message ?? {};
	return outbox.send({ ...more, team, event, data: data ?? newest });
}
