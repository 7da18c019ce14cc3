import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { quote, quoteAll } from '../api/json';
import { Problem } from '../n8n/problem';
import { inboxIdsField, includesId, toInboxIds } from '../panel/inboxIds';
import { type PanelValues, splitList } from '../panel/parameters';
import { findField } from './events';

/** The events that start the workflow. Automatic registration subscribes to these only. */
export const eventsField: INodeProperties = {
	displayName: 'Events',
	name: 'events',
	type: 'string',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Event' },
	default: [],
	placeholder: 'e.g. message.received',
	description:
		'Names of the events that start the workflow, as your service writes them. Without any, all events start it. For any other condition, put a Filter node behind this trigger.',
};

/** Keeps a workflow that answers messages from answering its own. */
export const ignoreOutboundField: INodeProperties = {
	displayName: 'Ignore Outbound',
	name: 'ignoreOutbound',
	type: 'boolean',
	default: true,
	description:
		'Whether to ignore events about messages that you sent: those that say "inbound": false. Turn it off to follow the delivery of your own messages.',
};

const inboxesField: INodeProperties = {
	...inboxIdsField,
	description: 'Only events of these inboxes start the workflow',
};

export const filtersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	description: 'Which events start the workflow. Others are accepted, and nothing happens.',
	options: [inboxesField],
};

/** The fields of the body that the filters look at. They are members of the options. */
export const filterFields = {
	eventField: {
		displayName: 'Field Name: Event',
		name: 'eventField',
		type: 'string',
		default: 'event',
		description: describeField('that names the event, for "Events"'),
	},
	inboundField: {
		displayName: 'Field Name: Inbound',
		name: 'inboundField',
		type: 'string',
		default: 'inbound',
		description: describeField(
			'that is false, 0 or "outbound" for a message you sent, for "Ignore Outbound"',
		),
	},
	inboxField: {
		displayName: 'Field Name: Inbox',
		name: 'inboxField',
		type: 'string',
		default: 'inboxId',
		description: describeField('with the ID of the inbox, for "Inboxes"'),
	},
} satisfies Record<string, INodeProperties>;

function describeField(what: string): string {
	return `Field of the body ${what}. It is also found in "data", "message" and "payload"; a path such as "data.author.id" names a place further down. An event without it starts the workflow.`;
}

/** Which events start the workflow. */
export interface EventFilters {
	/** All when there are none. */
	events: string[];
	ignoreOutbound: boolean;
	/** All when there are none. */
	inboxIds: string[];
	/** The fields of the body that these look at. */
	eventField: string;
	inboundField: string;
	inboxField: string;
}

/**
 * Reads which events start the workflow.
 *
 * @param options the members of the options
 * @throws {Problem} when a filter was added and has no value.
 */
export function readEventFilters(values: PanelValues, options: PanelValues): EventFilters {
	return {
		events: readEventNames(values),
		ignoreOutbound: values.isOn(ignoreOutboundField),
		inboxIds: readInboxes(values.raw(`${filtersField.name}.${inboxesField.name}`)),
		eventField: options.textOf(filterFields.eventField),
		inboundField: options.textOf(filterFields.inboundField),
		inboxField: options.textOf(filterFields.inboxField),
	};
}

/**
 * Reads the names of the events that start the workflow, in a fixed order. Empty for all events.
 *
 * @throws {Problem} when an entry is empty.
 */
function readEventNames(values: PanelValues): string[] {
	const names = [values.raw(eventsField.name) ?? []].flat().flatMap((entry) => {
		const some = splitList(values.toText(entry, { label: eventsField.displayName }) ?? '');
		if (some.length > 0) return some;
		throw new Problem(
			`"${eventsField.displayName}" has an entry without a name`,
			'Enter the name of an event, or remove the entry. Without any entry, all events start the workflow.',
		);
	});
	return [...new Set(names)].sort();
}

function readInboxes(value: unknown): string[] {
	const ids = toInboxIds(value);
	if (value === undefined || ids.length > 0) return ids;
	throw new Problem(
		`"${inboxesField.displayName}" has no inbox`,
		'Choose an inbox, or remove the filter. Without it, events of all inboxes start the workflow.',
	);
}

const OUTBOUND = ['false', '0', 'outbound'];

/**
 * Why an event does not start the workflow; undefined when it does. An event that lacks the fields of the filters
 * starts it. The reason is also logged, so it has no more of the event than its name and the ID of its inbox.
 */
export function reasonToSkip(event: IDataObject, wanted: EventFilters): string | undefined {
	const name = findField(event, wanted.eventField);
	if (name !== undefined && wanted.events.length > 0 && !wanted.events.includes(name)) {
		return `it is called ${quote(name)}, and "Events" lists ${quoteAll(wanted.events)}`;
	}
	const direction = findField(event, wanted.inboundField)?.toLowerCase();
	if (wanted.ignoreOutbound && direction !== undefined && OUTBOUND.includes(direction)) {
		return `its field "${wanted.inboundField}" says that the message is outbound, and "Ignore Outbound" is on`;
	}
	const inbox = findField(event, wanted.inboxField);
	if (inbox !== undefined && wanted.inboxIds.length > 0 && !includesId(wanted.inboxIds, inbox)) {
		return `its inbox is ${quote(inbox)}, and "Inboxes" lists ${quoteAll(wanted.inboxIds)}`;
	}
	return undefined;
}
