import { randomUUID } from 'node:crypto';

import type { TeamEvent } from './event.ts';
import type { EventBody, EventSettings, Misbehaviour } from './settings.ts';
import { subscribersOf, type Subscriber } from './subscriptions.ts';

export interface Attempt {
	/** Milliseconds since 1970. */
	time: number;
	/** The receiver's status, or the code of what went wrong, such as `ECONNREFUSED`. */
	status: number | string;
}

/** One event on its way to one subscriber. */
export interface Delivery {
	id: string;
	event: string;
	url: string;
	/** ID of the team. */
	team: string;
	/** ID of the subscription; undefined for one that the settings fix. */
	subscription?: string;
	/** When the event happened, in milliseconds since 1970. */
	time: number;
	/** 0, and from 1 on for duplicates. */
	copy: number;
	state: 'pending' | 'delivered' | 'failed';
	attempts: Attempt[];
}

/** A delivery with all that is needed to send it. */
export interface Parcel {
	delivery: Delivery;
	body: string;
	headers: Record<string, string>;
	/** The subscriber's own secret. */
	secret?: string;
	misbehaviour: Misbehaviour;
}

/** Makes what is to be sent of an event: one parcel for each subscriber and duplicate. */
export function pack(event: TeamEvent, settings: EventSettings): Parcel[] {
	const { team, count = 1, headers = {} } = event;
	const misbehaviour = { ...settings.misbehaviour, ...event.misbehaviour };
	const subscribers = subscribersOf(team, event.event, settings);
	const time = Date.now();

	const packOne = ({ url, secret, id: subscription }: Subscriber): Parcel[] => {
		const { id = randomUUID() } = event;
		const body = bodyOf(event, id, time, settings.body);
		const heading = { id, event: event.event, url, team: team.id, subscription, time };
		return Array.from({ length: misbehaviour.duplicates + 1 }, (_, copy) => ({
			delivery: { ...heading, copy, state: 'pending', attempts: [] },
			body,
			headers,
			secret,
			misbehaviour,
		}));
	};
	return Array.from({ length: count }, () => subscribers.flatMap(packOne)).flat();
}

function bodyOf(
	{ event, data, body }: TeamEvent,
	id: string,
	time: number,
	{ eventField, idField, createdField, dataField, flat }: EventBody,
): string {
	if (typeof body === 'string') return body;
	if (body !== undefined) return JSON.stringify(body);
	const created = new Date(time).toISOString();
	const heading = { [idField]: id, [eventField]: event, [createdField]: created };
	return JSON.stringify(flat ? { ...data, ...heading } : { ...heading, [dataField]: data });
}
