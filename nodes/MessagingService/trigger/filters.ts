import type { IDataObject } from 'n8n-workflow';
import { readPath } from '../api/json';
import { quote, quoteAll, toText } from '../api/text';
import type { Settings } from './settings';

/** What says that a message is outbound. Any other word starts the workflow: better once too often than a lost event. */
const OUTBOUND = /^(?:false|0|out.*)$/is;

/**
 * Why an event does not start the workflow; undefined when it does. An event that lacks the fields of the filters
 * starts it. The reason is also logged, so it has no more of the event than its name.
 */
export function reasonToSkip(
	event: IDataObject,
	{ events, eventField, ignoreOutbound, inboundFields }: Settings['filters'],
): string | undefined {
	const name = findField(event, eventField);
	if (name !== undefined && events.length > 0 && !events.includes(name)) {
		return `it is called ${quote(name)}, and "Events" lists ${quoteAll(events)}`;
	}
	const inbound = inboundFields.find((field) => findField(event, field) !== undefined);
	if (ignoreOutbound && inbound && OUTBOUND.test(findField(event, inbound) ?? '')) {
		return `its field "${inbound}" says that the message is outbound, and "Ignore Outbound" is on`;
	}
	return undefined;
}

/** Where the fields of an event may be, beside the event itself. */
const PLACES = ['data', 'message', 'payload', 'data.message', 'payload.message'];

/**
 * Reads a field of an event as text, by its path: from the event itself, else from one of the usual places. The first value
 * counts that is a number, a boolean or a non-empty text; undefined when there is none.
 */
function findField(event: IDataObject, path: string): string | undefined {
	return [path, ...PLACES.map((place) => `${place}.${path}`)]
		.map((each) => readPath(event, each))
		.filter((value) => typeof value !== 'object')
		.map((value) => toText(value)?.trim())
		.find(Boolean);
}
