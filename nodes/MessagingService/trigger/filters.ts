import type { IDataObject } from 'n8n-workflow';
import { readPath } from '../api/json';
import { quote, quoteAll, toText } from '../api/text';
import { readText } from './events';
import type { Settings } from './settings';

/** What says that a message is outbound. Any other word starts the workflow: better once too often than a lost event. */
const OUTBOUND = /^(?:false|0|out.*)$/is;

/**
 * Why an event does not start the workflow; undefined when it does. An event that lacks the fields of the filters
 * starts it. The reason is also logged, so it has no more of the event than its name.
 */
export function reasonToSkip(
	event: IDataObject,
	{ events, eventField, ignoreOutbound, inboundFields }: Settings,
): string | undefined {
	const places = placesIn(event);
	const name = findField(places, eventField);
	if (name !== undefined && events.length > 0 && !events.includes(name)) {
		return `it is called ${quote(name)}, and "Events" lists ${quoteAll(events)}`;
	}
	const inbound = inboundFields.find((field) => findField(places, field) !== undefined);
	if (ignoreOutbound && inbound && OUTBOUND.test(findField(places, inbound) ?? '')) {
		return `its field "${inbound}" says that the message is outbound, and "Ignore Outbound" is on`;
	}
	return undefined;
}

/** Where the fields of an event may be: in the event itself, else in one of the usual places, also as JSON in a text. */
function placesIn(event: IDataObject): unknown[] {
	const at = (parent: unknown, name: string) => readText(readPath(parent, name));
	const [data, message, payload] = ['data', 'message', 'payload'].map((name) => at(event, name));
	return [event, data, message, payload, at(data, 'message'), at(payload, 'message')];
}

/**
 * Reads a field of an event as text, by its path. The first value counts that is a number, a boolean or a non-empty text;
 * undefined when there is none.
 */
function findField(places: readonly unknown[], path: string): string | undefined {
	return places
		.map((place) => readPath(place, path))
		.filter((value) => typeof value !== 'object')
		.map((value) => toText(value)?.trim())
		.find(Boolean);
}
