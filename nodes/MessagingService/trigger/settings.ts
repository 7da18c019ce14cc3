import type { IDataObject } from 'n8n-workflow';
import { readPath } from '../api/json';
import { isAmong, quote, quoteAll, toText } from '../api/text';
import { isOutbound } from '../contacts/people';
import { collection, type Field, switchField, textField } from '../panel/field';
import { type PanelValues, splitList } from '../panel/values';
import { asJson } from './events';
import { readVerification } from './verification';

/** The events that start the workflow. Automatic registration subscribes to these only. */
export const eventsField = textField(
	'Events',
	'events',
	'Names of the events that start the workflow, as your service writes them. If the list is empty, every event does; so does one without a name.',
	{
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add event' },
		default: [],
		placeholder: 'e.g. message.received',
	},
);

const ignoreOutboundField = switchField(
	'Ignore Outbound',
	'ignoreOutbound',
	'Whether to ignore events about messages that you sent, even if "Events" lists them: those that say "inbound": false, or "direction": "outbound"',
	{ default: true },
);

const skipDuplicatesField = switchField(
	'Skip Duplicates',
	'skipDuplicates',
	'Whether to skip what was delivered before: with the same ID in a header and, unless calls are signed, the same body; without an ID, with the same body within twelve hours. The option "Delivery ID Field" names another ID.',
	{ default: true },
);

const deliveryField = textField(
	'Delivery ID Field',
	'deliveryField',
	'Field of the body with the ID of the event, for "Skip Duplicates", or a path. The ID of a message will not do if several events are about it.',
	{ placeholder: 'e.g. data.eventId' },
);

const USUAL_PLACES =
	'It is also found in "data", "message" and "payload" or a "message" in these, or by a path such as "data.author.id".';

const eventField = textField(
	'Event Field',
	'eventField',
	`Field of the body that names the event, for "Events". ${USUAL_PLACES}`,
	{ default: 'event' },
);

const fullRequestField = switchField(
	'Full Request',
	'fullRequest',
	'Whether to output the headers, query and body instead of only the body',
);

const inboundField = textField(
	'Inbound Field',
	'inboundField',
	`Field of the body that is false, 0 or a word such as "outbound" for a message you sent, for "Ignore Outbound". Of several, separated by commas, the first that an event has counts. ${USUAL_PLACES}`,
	{ default: 'inbound, direction' },
);

/** What hardly anybody needs. */
export const optionsField = collection({
	displayName: 'Options',
	name: 'options',
	placeholder: 'Add option',
	options: [deliveryField, eventField, fullRequestField, inboundField],
});

/** Which events do not start the workflow, whatever they are called. */
export const skippingFields: Field[] = [ignoreOutboundField, skipDuplicatesField];

/** All settings that a call depends on. */
export type Settings = ReturnType<typeof readSettings>;

/**
 * Reads all settings that a call depends on.
 *
 * @param secrets the webhook secrets of the credential, the current one first
 * @throws {Problem} when one of them is invalid. It never falls back to a default.
 */
export function readSettings(values: PanelValues, secrets: readonly string[]) {
	const options = values.members(optionsField);
	return {
		/** Undefined when calls need not be verified. */
		verification: readVerification(values, secrets),
		/** The events that start the workflow, in a fixed order. All when there are none. */
		events: readEventNames(values),
		eventField: options.text(eventField),
		ignoreOutbound: values.isOn(ignoreOutboundField),
		/** The first that an event has counts. */
		inboundFields: splitList(options.text(inboundField)),
		skipDuplicates: values.isOn(skipDuplicatesField),
		/** Where an event has the ID of its delivery; empty when it was not entered. */
		deliveryField: options.text(deliveryField),
		fullRequest: options.isOn(fullRequestField),
	};
}

function readEventNames(values: PanelValues): string[] {
	// An expression that gives nothing is no empty list: with that, every event would start the workflow.
	const entries: unknown[] = [values.value(eventsField)].flat();
	if (entries.some((entry) => splitList(String(entry ?? '')).length === 0)) {
		values.fail(
			`"${eventsField.displayName}" has an entry without a name`,
			'Enter the name of an event, or remove the entry. If it has an expression, that gives nothing.',
		);
	}
	return [...new Set(values.texts(eventsField))].sort();
}

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
	if (name !== undefined && events.length > 0 && !isAmong(events, name)) {
		return `it is called ${quote(name)}, and "Events" lists ${quoteAll(events)}`;
	}
	const inbound = inboundFields.find((field) => findField(places, field) !== undefined);
	if (ignoreOutbound && inbound && isOutbound(findField(places, inbound) ?? '')) {
		return `its field "${inbound}" says that the message is outbound, and "Ignore Outbound" is on`;
	}
	return undefined;
}

/** Where the fields of an event may be: in the event itself, else in one of the usual places, also as JSON in a text. */
function placesIn(event: IDataObject): unknown[] {
	const at = (parent: unknown, name: string) => asJson(read(parent, name));
	const [data, message, payload] = ['data', 'message', 'payload'].map((name) => at(event, name));
	return [event, data, message, payload, at(data, 'message'), at(payload, 'message')];
}

/**
 * Reads a field of an event as text, by its path. The first value counts that is a number, a boolean or a non-empty text;
 * undefined when there is none.
 */
function findField(places: readonly unknown[], path: string): string | undefined {
	return places
		.map((place) => read(place, path))
		.filter((value) => typeof value !== 'object')
		.map((value) => toText(value)?.trim())
		.find(Boolean);
}

/** Reads what is at a path, also where the service begins its names with capital letters. */
function read(value: unknown, path: string): unknown {
	const capitalized = path.replace(/(?<![^.])./g, (letter) => letter.toUpperCase());
	return readPath(value, path) ?? readPath(value, capitalized);
}
