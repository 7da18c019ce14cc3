import type { INodeProperties } from 'n8n-workflow';
import { isObject, textOf } from '../../api/json';
import { inboxIds, toInboxIds } from '../../panel/inboxIds';
import { Problem } from '../../nodeError';
import { type PanelValues, toText } from '../panelValues';
import { describeField, findPath } from '../path';
import { conditions, describeCondition, holds, readConditions } from './conditions';

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
		'Whether to ignore events about messages that you sent: those that say "inbound": false. Turn it off to follow what becomes of your own messages.',
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

/** Which events start the workflow. */
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

/** Which events start the workflow. */
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

function splitList(text: string): string[] {
	return text
		.split(',')
		.map((name) => name.trim())
		.filter(Boolean);
}

/** Why an event does not start the workflow. */
export interface Skip {
	/** For the log, too: of the event, it has its name and the ID of its inbox at most. */
	reason: string;
	/** What the event has there, and what to do: for whoever tries the trigger out. */
	advice: string;
}

/** Tells whether an event starts the workflow; undefined when it does. */
export function reasonToSkip(body: unknown, wanted: EventFilters): Skip | undefined {
	return (
		skipByName(body, wanted) ??
		skipOutbound(body, wanted) ??
		skipByInbox(body, wanted) ??
		skipByConditions(body, wanted)
	);
}

function skipByName(body: unknown, { events: names, eventField }: EventFilters): Skip | undefined {
	const name = textOf(findPath(body, eventField));
	if (names.length === 0 || names.includes(name ?? '')) return undefined;
	if (name === undefined) {
		return {
			reason: `it has no field "${eventField}" that names it, and "Events" lists ${quoteAll(names)}`,
			advice: `${describeBody(body)} Set "Event Field" in the options to the one that names the event.`,
		};
	}
	return {
		reason: `it is called ${quote(name)}, and "Events" lists ${quoteAll(names)}`,
		advice: 'To have it start the workflow, add its name to "Events".',
	};
}

function skipOutbound(
	body: unknown,
	{ ignoreOutbound: isOn, inboundField }: EventFilters,
): Skip | undefined {
	if (!isOn || !saysOutbound(findPath(body, inboundField))) return undefined;
	return {
		reason: `by its field "${inboundField}" it is outbound, and "Ignore Outbound" is on`,
		advice:
			'It is about a message you sent. To have such events start the workflow, turn off "Ignore Outbound".',
	};
}

function skipByInbox(body: unknown, { inboxIds: ids, inboxField }: EventFilters): Skip | undefined {
	const inbox = textOf(findPath(body, inboxField));
	if (ids.length === 0 || ids.some((id) => id.toLowerCase() === inbox?.toLowerCase()))
		return undefined;
	if (inbox === undefined) {
		return {
			reason: `it has no field "${inboxField}", and "Inboxes" lists ${quoteAll(ids)}`,
			advice: `${describeBody(body)} Set "Inbox Field" in the options to the one with the ID of the inbox.`,
		};
	}
	return {
		reason: `its inbox is ${quote(inbox)}, and "Inboxes" lists ${quoteAll(ids)}`,
		advice: 'To have it start the workflow, add its inbox to "Inboxes".',
	};
}

function skipByConditions(body: unknown, { conditions: all }: EventFilters): Skip | undefined {
	const failed = all.find((condition) => !holds(body, condition));
	if (!failed) return undefined;
	const condition = `The condition is ${quote(describeCondition(failed))}`;
	const actual = textOf(findPath(body, failed.field));
	return {
		reason: `the condition on "${failed.field}" does not hold`,
		advice:
			actual === undefined
				? `${condition}, and the event has no such field. ${describeBody(body)}`
				: `${condition}, and the event has ${quote(actual)} there.`,
	};
}

const OUTBOUND = ['false', '0', 'outbound'];

/** Whether the field that tells who wrote a message says that it was sent. */
function saysOutbound(value: unknown): boolean {
	return OUTBOUND.includes(textOf(value)?.toLowerCase() ?? '');
}

const MAX_QUOTE_LENGTH = 100;
const MAX_QUOTES = 10;

function quote(text: string): string {
	return `"${text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text}"`;
}

function quoteAll(texts: string[]): string {
	const more = texts.length > MAX_QUOTES ? ' and more' : '';
	return texts.slice(0, MAX_QUOTES).map(quote).join(', ') + more;
}

function describeBody(body: unknown): string {
	const names = isObject(body) ? Object.keys(body) : [];
	return names.length > 0 ? `The fields of its body are ${quoteAll(names)}.` : 'Its body is empty.';
}
