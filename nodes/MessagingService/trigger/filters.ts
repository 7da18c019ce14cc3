import { findPath } from './path';

export type Comparison =
	| 'contains'
	| 'equals'
	| 'exists'
	| 'greaterThan'
	| 'lessThan'
	| 'notContains'
	| 'notEquals'
	| 'notExists'
	| 'startsWith';

/** A condition on one field of the body. */
export interface Condition {
	field: string;
	comparison: Comparison;
	value: string;
}

const LONGEST_QUOTE = 100;

/** Which events start the workflow. */
export interface EventFilters {
	/** Names of events; all when there are none. */
	events: string[];
	/** The field of the body that names the event. */
	eventField: string;
	inboundOnly: boolean;
	/** The field that says whether a message came in. */
	inboundField: string;
	/** IDs of inboxes; all when there are none. */
	inboxIds: string[];
	inboxField: string;
	/** Conditions that all have to hold. */
	conditions: Condition[];
}

/**
 * Tells whether an event starts the workflow.
 *
 * @returns Why it does not, for the log; undefined when it does.
 */
export function reasonToSkip(body: unknown, filters: EventFilters): string | undefined {
	const { events, eventField, inboundOnly, inboundField, inboxIds, inboxField } = filters;
	const event = toText(findPath(body, eventField));
	if (events.length > 0 && !events.includes(event ?? '')) {
		return event === undefined
			? `it has no event name in "${eventField}"`
			: `its event "${event.slice(0, LONGEST_QUOTE)}" is not one of those chosen`;
	}
	if (inboundOnly && !isTrue(findPath(body, inboundField))) {
		return `it is no received message by its field "${inboundField}"`;
	}
	const inbox = toText(findPath(body, inboxField))?.toLowerCase();
	if (inboxIds.length > 0 && !inboxIds.some((id) => id.toLowerCase() === inbox)) {
		return `the inbox in its field "${inboxField}" is not one of those chosen`;
	}
	const failed = filters.conditions.find((condition) => !holds(body, condition));
	return failed && `the condition on "${failed.field}" does not hold`;
}

const COMPARISONS: Record<Comparison, (actual: unknown, value: string) => boolean> = {
	contains: (actual, value) => texts(actual).some((text) => text.includes(value)),
	equals: (actual, value) => texts(actual).includes(value),
	exists: (actual) => isThere(actual),
	greaterThan: (actual, value) => compare(actual, value) > 0,
	lessThan: (actual, value) => compare(actual, value) < 0,
	notContains: (actual, value) => !texts(actual).some((text) => text.includes(value)),
	notEquals: (actual, value) => !texts(actual).includes(value),
	notExists: (actual) => !isThere(actual),
	startsWith: (actual, value) => texts(actual).some((text) => text.startsWith(value)),
};

function holds(body: unknown, { field, comparison, value }: Condition): boolean {
	return COMPARISONS[comparison](findPath(body, field), value);
}

/** By size where both are numbers, by time where both are dates; NaN, which is neither more nor less, otherwise. */
function compare(actual: unknown, value: string): number {
	const sides = [toText(actual) ?? '', value];
	const numbers = sides.map((side) => (side.trim() === '' ? NaN : Number(side)));
	const [a, b] = numbers.some(Number.isNaN) ? sides.map(readDate) : numbers;
	return a - b;
}

// JavaScript takes nearly everything for a date, "step 5" too.
function readDate(text: string): number {
	return /^\s*\d{4}-\d\d/.test(text) ? Date.parse(text) : NaN;
}

function isThere(value: unknown): boolean {
	return value !== undefined && value !== null && value !== '';
}

function isTrue(value: unknown): boolean {
	return ['true', '1'].includes(toText(value)?.toLowerCase() ?? '');
}

/** A value as texts to compare: of a list, each of its entries. */
function texts(value: unknown): string[] {
	return [value].flat().flatMap((each) => toText(each) ?? []);
}

function toText(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
