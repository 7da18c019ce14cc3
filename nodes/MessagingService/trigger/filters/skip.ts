import { isObject, quote, quoteAll, textOf } from '../../api/json';
import { includesId } from '../../panel/inboxIds';
import { findPath } from '../path';
import type { EventFilters } from './index';
import { describeCondition, holds } from './conditions';

/** Why a call or its event does not start the workflow. */
export interface Why {
	/** For the log, too: of the event, it has its name and the ID of its inbox at most. */
	reason: string;
	/** What the event has there, and what to do: for whoever tries the trigger out. */
	advice: string;
}

/** Tells whether an event starts the workflow; undefined when it does. */
export function reasonToSkip(body: unknown, wanted: EventFilters): Why | undefined {
	return (
		skipByName(body, wanted) ??
		skipOutbound(body, wanted) ??
		skipByInbox(body, wanted) ??
		skipByConditions(body, wanted)
	);
}

function skipByName(body: unknown, { events: names, eventField }: EventFilters): Why | undefined {
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
): Why | undefined {
	if (!isOn || !isOutbound(body, inboundField)) return undefined;
	return {
		reason: `by its field "${inboundField}" it is outbound, and "Ignore Outbound" is on`,
		advice:
			'It is about a message you sent. To have such events start the workflow, turn off "Ignore Outbound".',
	};
}

function skipByInbox(body: unknown, { inboxIds: ids, inboxField }: EventFilters): Why | undefined {
	const inbox = textOf(findPath(body, inboxField));
	if (ids.length === 0 || (inbox !== undefined && includesId(ids, inbox))) return undefined;
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

function skipByConditions(body: unknown, { conditions: all }: EventFilters): Why | undefined {
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

/** Whether an event is about messages that were sent: about one, or about a list of them. */
function isOutbound(body: unknown, field: string): boolean {
	const value = findPath(body, field);
	if (value !== undefined || !isObject(body)) return saysOutbound(value);
	return Object.values(body).some(
		(list) =>
			Array.isArray(list) &&
			list.length > 0 &&
			list.every((entry) => saysOutbound(findPath(entry, field))),
	);
}

const OUTBOUND = ['false', '0', 'outbound'];

function saysOutbound(value: unknown): boolean {
	return OUTBOUND.includes(textOf(value)?.toLowerCase() ?? '');
}

function describeBody(body: unknown): string {
	const names = isObject(body) ? Object.keys(body) : [];
	return names.length > 0 ? `The fields of its body are ${quoteAll(names)}.` : 'Its body is empty.';
}
