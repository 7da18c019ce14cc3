import type { INodeProperties } from 'n8n-workflow';
import { inboxIds, toInboxIds } from '../../panel/inboxIds';
import { splitList } from '../../panel/splitList';
import { Problem } from '../../nodeError';
import { type PanelValues, toText } from '../panelValues';
import { describeField } from '../path';
import { conditions, readConditions } from './conditions';

/** The events that are wanted. The service is asked for them, where it takes subscriptions. */
export const events: INodeProperties = {
	displayName: 'Events',
	name: 'events',
	type: 'string',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Event' },
	default: [],
	placeholder: 'e.g. message.received',
	description:
		'Names of the events that start the workflow, as your service writes them. Without any, all events start it.',
};

/** Keeps a workflow that answers messages from answering its own. */
export const ignoreOutbound: INodeProperties = {
	displayName: 'Ignore Outbound',
	name: 'ignoreOutbound',
	type: 'boolean',
	default: true,
	description:
		'Whether to ignore events about messages that you sent: those that say "inbound": false. Turn it off to follow the delivery of your own messages.',
};

/** The fields of the body that the filters look at. They are members of the options. */
export const filterFields = {
	eventField: {
		displayName: 'Event Field',
		name: 'eventField',
		type: 'string',
		default: 'event',
		description: describeField('Field of the body that names the event, for "Events"', 'event'),
	},
	inboundField: {
		displayName: 'Inbound Field',
		name: 'inboundField',
		type: 'string',
		default: 'inbound',
		description: describeField(
			'Field of the body that is false, 0 or "outbound" for a message you sent, for "Ignore Outbound"',
			'inbound',
		),
	},
	inboxField: {
		displayName: 'Inbox Field',
		name: 'inboxField',
		type: 'string',
		default: 'inboxId',
		description: describeField(
			'Field of the body with the ID of the inbox, for "Inboxes"',
			'inboxId',
		),
	},
} satisfies Record<string, INodeProperties>;

const inboxes: INodeProperties = {
	...inboxIds,
	description: 'Only events of these inboxes start the workflow',
};

export const filters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	description:
		'Which events start the workflow. Others are accepted, and nothing happens. The fields that the filters look at are set in the options.',
	options: [conditions, inboxes],
};

export type EventFilters = ReturnType<typeof readFilters>;

/**
 * Reads which events start the workflow.
 *
 * @param options the members of the options
 * @throws {Problem} when a filter was added and cannot be used, such as one without a value.
 */
export function readFilters(values: PanelValues, options: PanelValues) {
	const members = values.collection(filters);
	return {
		/** All when there are none. */
		events: readEvents(values),
		eventField: options.text(filterFields.eventField),
		ignoreOutbound: values.boolean(ignoreOutbound),
		inboundField: options.text(filterFields.inboundField),
		/** All when there are none. */
		inboxIds: readInboxes(members.raw(inboxes)),
		inboxField: options.text(filterFields.inboxField),
		/** They all have to hold. */
		conditions: readConditions(members.raw(conditions)),
	};
}

/**
 * Reads the names of the events that are wanted, in a fixed order; all are wanted when there are none.
 *
 * @throws {Problem} when an entry is empty.
 */
export function readEvents(values: PanelValues): string[] {
	const names = [values.raw(events) ?? []].flat().flatMap((entry) => {
		const some = splitList(toText(entry) ?? '');
		if (some.length > 0) return some;
		throw new Problem(
			`"${events.displayName}" has an entry without a name`,
			'Enter the name of an event, or remove the entry. Without any entry, all events start the workflow.',
		);
	});
	return [...new Set(names)].sort();
}

function readInboxes(value: unknown): string[] {
	const ids = toInboxIds(value);
	if (value === undefined || ids.length > 0) return ids;
	throw new Problem(
		`"${inboxes.displayName}" has no inbox`,
		'Choose an inbox, or remove the filter. Without it, events of all inboxes start the workflow.',
	);
}
