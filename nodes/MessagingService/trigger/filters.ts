import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { quote, quoteAll } from '../api/json';
import { Problem } from '../n8n/problem';
import { inboxIdsField, includesId, readInboxIds } from '../panel/inboxIds';
import { type PanelValues, splitList } from '../panel/parameters';
import { findField } from './events';
import type { TriggerOptions } from './options';

/** The events that start the workflow. Automatic registration subscribes to these only. */
export const eventsField: INodeProperties = {
	displayName: 'Events',
	name: 'events',
	type: 'string',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add event' },
	default: [],
	placeholder: 'e.g. message.received',
	description:
		'Names of the events that start the workflow, as your service writes them. Without any, all events start it; so does an event without a name. For any other condition, put a Filter node behind this trigger.',
};

/** Keeps a workflow that answers messages from answering its own. */
export const ignoreOutboundField: INodeProperties = {
	displayName: 'Ignore Outbound',
	name: 'ignoreOutbound',
	type: 'boolean',
	default: true,
	description:
		'Whether to ignore events about messages that you sent: those that say "inbound": false, or "direction": "outbound". Turn it off to follow the delivery of your own messages, for example if they failed.',
};

const inboxesField: INodeProperties = {
	...inboxIdsField,
	description: 'Events of other inboxes do not start the workflow. Events that name no inbox do.',
};

export const eventFiltersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	description: 'Which events start the workflow. Others are accepted, and nothing happens.',
	options: [inboxesField],
};

/** Which events start the workflow. */
export type EventFilters = ReturnType<typeof readEventFilters>;

/**
 * Reads which events start the workflow.
 *
 * @throws {Problem} when a filter was added and has no value.
 */
export function readEventFilters(values: PanelValues) {
	return {
		/** In a fixed order. All when there are none. */
		events: readEventNames(values),
		ignoreOutbound: values.isOn(ignoreOutboundField),
		/** All when there are none. */
		inboxIds: readInboxIds(values),
	};
}

function readEventNames(values: PanelValues): string[] {
	const names = [values.value(eventsField.name) ?? []].flat().flatMap((entry) => {
		const some = splitList(values.toText(entry, { label: eventsField.displayName }) ?? '');
		if (some.length > 0) return some;
		throw new Problem(
			`"${eventsField.displayName}" has an entry without a name`,
			'Enter the name of an event, or remove the entry. Without any entry, all events start the workflow.',
		);
	});
	return [...new Set(names)].sort();
}

/** What says that a message is outbound. Any other word starts the workflow: better once too often than a lost event. */
const OUTBOUND = /^(?:false|0|out.*)$/is;

/**
 * Why an event does not start the workflow; undefined when it does. An event that lacks the fields of the filters
 * starts it. The reason is also logged, so it has no more of the event than its name and the ID of its inbox.
 */
export function reasonToSkip(
	event: IDataObject,
	{ events, ignoreOutbound, inboxIds }: EventFilters,
	{ eventPath, inboundPaths, inboxPath }: TriggerOptions,
): string | undefined {
	const name = findField(event, eventPath);
	if (name !== undefined && events.length > 0 && !events.includes(name)) {
		return `it is called ${quote(name)}, and "Events" lists ${quoteAll(events)}`;
	}
	const inbound = inboundPaths.find((field) => findField(event, field) !== undefined);
	if (ignoreOutbound && inbound && OUTBOUND.test(findField(event, inbound) ?? '')) {
		return `its field "${inbound}" says that the message is outbound, and "Ignore Outbound" is on`;
	}
	const inbox = findField(event, inboxPath);
	if (inbox !== undefined && inboxIds.length > 0 && !includesId(inboxIds, inbox)) {
		return `its inbox is ${quote(inbox)}, and "Inboxes" lists ${quoteAll(inboxIds)}`;
	}
	return undefined;
}
