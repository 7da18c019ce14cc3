import Type, { type Static } from 'typebox';

import { closed } from '../schema.ts';
import type { Team } from '../store.ts';
import { misbehaviourSchema } from './settings.ts';

const name = Type.Optional(Type.String({ minLength: 1 }));
const positive = Type.Optional(Type.Integer({ minimum: 1 }));

/** An event to send without anything having happened. */
export const eventRequestSchema = closed({
	/** API key of the team; the demo team's unless given. */
	apiKey: Type.Optional(Type.String()),
	/** `message.received` unless given. */
	event: name,
	/** The team's newest message unless given. */
	data: Type.Optional(Type.Unsafe<object>(Type.Object({}))),
	/** The whole body instead of the usual one; text is sent as it is, even if it is no JSON. */
	body: Type.Optional(Type.Unknown()),
	/** Further headers, or others than usual. */
	headers: Type.Optional(Type.Record(Type.String(), Type.String())),
	/** ID of the delivery; a new one unless given. */
	id: name,
	/** How often it happens, 1 unless given. */
	count: positive,
	/** How many deliveries of it are on their way at the same time; shared with all others unless given. */
	connections: positive,
	/** What goes wrong with it, beyond the settings. */
	misbehaviour: Type.Optional(Type.Partial(misbehaviourSchema, { additionalProperties: false })),
});

export type EventRequest = Static<typeof eventRequestSchema>;

/** Something that happened in a team, for everyone who subscribed to it. */
export interface TeamEvent extends Omit<EventRequest, 'apiKey'> {
	team: Team;
	event: string;
	data: object;
}
