import type { INodeParameters } from 'n8n-workflow';
import { asObject } from '../../api/json';
import type { ServiceFilters } from '../../api/listEndpoints';
import { isAmong } from '../../api/text';
import { readDate } from '../../panel/date';
import { isInbound } from '../../contacts/people';
import { dropdown, type Field, textField } from '../../panel/field';
import { filtersField, readFilters } from '../../panel/filters';
import { inboxIdsField, readInboxIds } from '../../panel/ids';
import type { ItemParameters } from '../../panel/itemParameters';
import { readCountryCode, readPhones } from '../../panel/phoneField';
import type { PanelValues } from '../../panel/values';
import { fold, type ParsedMessage } from './message';

/** A person, identified by all their phone numbers. */
export interface Contact {
	/** In E.164, each once; at least one. */
	numbers: string[];
	/** The country code for numbers that have none, also for those from the service. */
	countryCode?: string;
}

/** Makes a field for a contact. */
export function contactField(description: string, more: Partial<Field> = {}): Field {
	const placeholder = 'e.g. +15555550142';
	const advice = 'Enter the phone number of the contact, such as +15555550142.';
	return textField('Phone', 'phone', description, { placeholder, advice, ...more });
}

/** Which messages are wanted. The service filters by inbox and date; the node applies the other filters. */
export interface MessageFilters extends ServiceFilters {
	contact?: Contact;
	inbound?: boolean;
	/** As compared; any when empty. */
	statuses: string[];
	/** As compared; any when empty. */
	text: string;
}

export const phoneFilter = contactField(
	'Only messages from or to this number. Separate several numbers of one contact with commas.',
);

export const textFilter = textField(
	'Text',
	'text',
	'Only messages that contain this text, in upper or lower case',
	{ placeholder: 'e.g. appointment' },
);

const directionFilter = dropdown({
	displayName: 'Direction',
	name: 'direction',
	options: [
		{ name: 'Inbound', value: 'inbound', description: 'From contacts' },
		{ name: 'Outbound', value: 'outbound', description: 'To contacts' },
	],
	default: 'inbound',
	description: 'Only messages from contacts, or only those to contacts',
});

const afterFilter = textField(
	'After',
	'after',
	'Only messages after this moment, such as {{ $now.minus({ days: 1 }) }}. Without a time zone, it is in that of the workflow.',
	{ type: 'dateTime' },
);

const beforeFilter = textField(
	'Before',
	'before',
	'Only messages up to this moment. Without a time zone, it is in that of the workflow.',
	{ type: 'dateTime' },
);

const statusFilter = textField(
	'Status',
	'status',
	'Only messages with this delivery status, in the words of your service. Separate several with commas.',
	{ placeholder: 'e.g. failed' },
);

/** The "Filters" of messages. */
export const messageFilters = filtersField(
	afterFilter,
	beforeFilter,
	inboxIdsField,
	directionFilter,
	phoneFilter,
	statusFilter,
	textFilter,
);

/** Reads the filters of an item, each of which has to have a value. */
export function readMessageFilters(
	parameters: ItemParameters,
	rawParameters: INodeParameters,
): MessageFilters {
	const filters = readFilters(parameters, messageFilters, rawParameters);
	const written = asObject(rawParameters[messageFilters.name]);
	parameters.refuseGap(phoneFilter, filters.value(phoneFilter), written.phone);
	const after = readDate(filters, afterFilter);
	const before = readDate(filters, beforeFilter, 'later');
	if (after && before && after > before) {
		parameters.fail(
			`"${afterFilter.displayName}" is later than "${beforeFilter.displayName}"`,
			'Swap the dates.',
		);
	}
	return {
		...readCommonFilters(filters, readCountryCode(parameters.options)),
		after,
		before,
		inbound: filters.has(directionFilter)
			? filters.choice(directionFilter) === 'inbound'
			: undefined,
		statuses: filters.texts(statusFilter).map(fold),
	};
}

/** Reads the filters that the polling trigger has, too. */
export function readCommonFilters(
	filters: PanelValues,
	countryCode?: string,
): Pick<MessageFilters, 'inboxIds' | 'contact' | 'text'> {
	return {
		inboxIds: readInboxIds(filters),
		contact: filters.has(phoneFilter) ? readContact(filters, phoneFilter, countryCode) : undefined,
		text: fold(filters.text(textFilter)),
	};
}

/** Reads a contact: one number, several separated by commas, or a list of numbers from an expression. */
export function readContact(values: PanelValues, field: Field, countryCode?: string): Contact {
	const numbers = readPhones(values, field, countryCode);
	if (numbers.length === 0) values.fail(`"${field.displayName}" is empty`, field.advice);
	return { numbers: [...new Set(numbers)], countryCode };
}

/** Whether a message passes all filters. */
export function matchesFilters(message: ParsedMessage, filters: MessageFilters): boolean {
	const { contact, inbound, statuses, text } = filters;
	if (!matchesServiceFilters(message, filters)) return false;
	// One that does not say its direction is better shown once too often than lost.
	if (inbound !== undefined && isInbound(message.json) === !inbound) return false;
	if (statuses.length > 0 && !statuses.includes(message.status)) return false;
	if (!message.text.includes(text)) return false;
	if (!contact) return true;
	const { participants } = message.people(contact.countryCode);
	return participants.some((number) => contact.numbers.includes(number));
}

/**
 * Whether a message passes the filters of the service. One without an inbox or a date does, since the service has
 * already applied them.
 */
export function matchesServiceFilters(
	{ json: { inboxId }, date }: ParsedMessage,
	{ inboxIds, after, before }: ServiceFilters,
): boolean {
	if (inboxIds.length > 0 && typeof inboxId === 'string' && !isAmong(inboxIds, inboxId))
		return false;
	if (date === undefined) return true;
	return !(after && date <= after.getTime()) && !(before && date > before.getTime());
}
