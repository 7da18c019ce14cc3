import type { Team } from '../store.ts';
import type { EventBody, Misbehaviour } from './settings.ts';

/** Something that happened in a team, for everyone who subscribed to it. */
export interface TeamEvent {
	team: Team;
	event: string;
	data: object;
	/** The whole body instead of the usual one; text is sent as it is, even if it is no JSON. */
	body?: unknown;
	/** Further headers, or others than usual. */
	headers?: Record<string, string>;
	/** ID of the delivery; a new one unless given. */
	id?: string;
	/** How often it happens, 1 unless given. */
	count?: number;
	/** How many deliveries of it are on their way at the same time; shared with all others unless given. */
	connections?: number;
	/** What goes wrong with it, beyond the settings. */
	misbehaviour?: Partial<Misbehaviour>;
}

interface Heading {
	id: string;
	event: string;
	/** Milliseconds since 1970. */
	created: number;
}

/** The body of a delivery as text, in the names of the settings. */
export function writeBody(
	{ id, event, created }: Heading,
	data: object,
	{ eventField, idField, createdField, dataField, flat }: EventBody,
): string {
	const heading = {
		[idField]: id,
		[eventField]: event,
		[createdField]: new Date(created).toISOString(),
	};
	return JSON.stringify(flat ? { ...data, ...heading } : { ...heading, [dataField]: data });
}
