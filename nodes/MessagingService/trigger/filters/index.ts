import type { INodeProperties } from 'n8n-workflow';
import { textOf } from '../../api/json';
import { inboxIds, toInboxIds } from '../../panel/inboxIds';
import { type PanelValues, toText } from '../panelValues';
import { describeField, findPath } from '../path';
import { conditions, holds, readConditions } from './conditions';

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

const FIELDS = {
	conditions,
	eventField: {
		displayName: 'Event Field',
		name: 'eventField',
		type: 'string',
		default: 'event',
		description: describeField('Field of the body that names the event, for "Events" above'),
	},
	inboundField: {
		displayName: 'Inbound Field',
		name: 'inboundField',
		type: 'string',
		default: 'inbound',
		description: describeField(
			'Field of the body that is true for a received message, for "Inbound Only"',
		),
	},
	inboundOnly: {
		displayName: 'Inbound Only',
		name: 'inboundOnly',
		type: 'boolean',
		default: true,
		description: 'Whether only messages that were received start the workflow',
	},
	inboxField: {
		displayName: 'Inbox Field',
		name: 'inboxField',
		type: 'string',
		default: 'inboxId',
		description: describeField('Field of the body with the ID of the inbox, for "Inboxes"'),
	},
	inboxes: {
		...inboxIds,
		description: 'Only events of these inboxes start the workflow',
	},
} satisfies Record<string, INodeProperties>;

/** Which events start the workflow. */
export const filters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	description: 'Which events start the workflow. Others are accepted, and nothing happens.',
	options: Object.values(FIELDS),
};

/** Which events start the workflow. */
export type EventFilters = ReturnType<typeof readFilters>;

/**
 * Reads which events start the workflow.
 *
 * @throws {Problem} when a condition has an unknown comparison.
 */
export function readFilters(values: PanelValues) {
	const members = values.collection(filters);
	return {
		/** All when there are none. */
		events: readEvents(values),
		eventField: members.text(FIELDS.eventField),
		inboundOnly: members.flag(FIELDS.inboundOnly),
		inboundField: members.text(FIELDS.inboundField),
		/** All when there are none. */
		inboxIds: toInboxIds(members.raw(FIELDS.inboxes)),
		inboxField: members.text(FIELDS.inboxField),
		/** They all have to hold. */
		conditions: readConditions(members.raw(conditions)),
	};
}

/** Reads the names of the events that are wanted, in a fixed order; all are wanted when there are none. */
export function readEvents(values: PanelValues): string[] {
	const entries = [values.raw(events)].flat();
	const names = entries.flatMap((entry) => (toText(entry) ?? '').split(','));
	return [...new Set(names.map((name) => name.trim()).filter(Boolean))].sort();
}

const MAX_QUOTE_LENGTH = 100;

/**
 * Tells whether an event starts the workflow.
 *
 * @returns Why it does not, for the log; undefined when it does.
 */
export function reasonToSkip(body: unknown, wanted: EventFilters): string | undefined {
	const event = textOf(findPath(body, wanted.eventField));
	if (wanted.events.length > 0 && !wanted.events.includes(event ?? '')) {
		return event === undefined
			? `it has no event name in "${wanted.eventField}"`
			: `its event "${event.slice(0, MAX_QUOTE_LENGTH)}" is not one of those chosen`;
	}
	if (wanted.inboundOnly && !isTrue(findPath(body, wanted.inboundField))) {
		return `it is no received message by its field "${wanted.inboundField}"`;
	}
	const inbox = textOf(findPath(body, wanted.inboxField))?.toLowerCase();
	if (wanted.inboxIds.length > 0 && !wanted.inboxIds.some((id) => id.toLowerCase() === inbox)) {
		return `the inbox in its field "${wanted.inboxField}" is not one of those chosen`;
	}
	const failed = wanted.conditions.find((condition) => !holds(body, condition));
	return failed && `the condition on "${failed.field}" does not hold`;
}

function isTrue(value: unknown): boolean {
	return ['true', '1'].includes(textOf(value)?.toLowerCase() ?? '');
}
