import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import type { ServiceFilters } from '../../api/listEndpoints';
import { includesId, inboxIdsField, readInboxIds } from '../../panel/inboxIds';
import { filtersField, requireFilterValues } from '../../panel/filterFields';
import type { ItemParameters, PanelValues } from '../../panel/parameters';
import { type Contact, contactField, readContact } from './contact';
import { fold, type ParsedMessage } from './message';

/** Which messages are wanted. The service filters by inbox and date; the node applies the other filters. */
export interface MessageFilters extends ServiceFilters {
	contact?: Contact;
	inbound?: boolean;
	/** As compared; any when empty. */
	statuses: string[];
	/** As compared. */
	text?: string;
}

export const phoneFilter: INodeProperties = {
	...contactField,
	description:
		'Only messages from or to this number, with country code. Separate several numbers of one contact with commas.',
};

export const textFilter: INodeProperties = {
	displayName: 'Text',
	name: 'text',
	type: 'string',
	default: '',
	placeholder: 'e.g. appointment',
	description: 'Only messages that contain this text, in upper or lower case',
};

const DIRECTIONS = [
	{ name: 'Inbound', value: 'inbound', description: 'Messages that contacts sent to you' },
	{ name: 'Outbound', value: 'outbound', description: 'Messages that you sent to contacts' },
];

const directionFilter: INodeProperties = {
	displayName: 'Direction',
	name: 'direction',
	type: 'options',
	options: DIRECTIONS,
	default: 'inbound',
	description: 'Only messages that you received, or only those that you sent',
};

/** The "Filters" of messages. */
export const MESSAGE_FILTERS = filtersField(
	{
		displayName: 'After',
		name: 'after',
		type: 'dateTime',
		default: '',
		description:
			"Only messages after this moment, such as {{ $now.minus({ days: 1 }) }} for the last day. Without a time zone it is read in the workflow's time zone.",
	},
	{
		displayName: 'Before',
		name: 'before',
		type: 'dateTime',
		default: '',
		description:
			"Only messages up to this moment. Without a time zone it is read in the workflow's time zone.",
	},
	inboxIdsField,
	directionFilter,
	phoneFilter,
	{
		displayName: 'Status',
		name: 'status',
		type: 'string',
		default: '',
		placeholder: 'e.g. failed',
		description:
			'Only messages with this delivery status, in the words of your service. Separate several with commas.',
	},
	textFilter,
);

/** Reads the filters of an item, each of which has to have a value. */
export function readMessageFilters(
	parameters: ItemParameters,
	rawParameters: INodeParameters,
): MessageFilters {
	requireFilterValues(parameters, MESSAGE_FILTERS, rawParameters);
	const after = parameters.date('filters.after', { label: 'After' });
	const before = parameters.date('filters.before', { label: 'Before' }, 'later');
	if (after && before && after > before) {
		parameters.fail('"After" is later than "Before"', 'No message can match both. Swap the dates.');
	}
	const statuses = parameters.texts('filters.status', { label: 'Status' });
	return {
		...readCommonFilters(parameters),
		after,
		before,
		inbound: readInbound(parameters),
		statuses: statuses.map(fold),
	};
}

/** Reads the filters that the polling trigger has, too. */
export function readCommonFilters(
	parameters: PanelValues,
): Pick<MessageFilters, 'inboxIds' | 'contact' | 'text'> {
	const hasPhone = parameters.value('filters.phone') !== undefined;
	const text = parameters.text('filters.text', { label: 'Text' });
	return {
		inboxIds: readInboxIds(parameters),
		contact: hasPhone ? readContact(parameters, 'filters.phone') : undefined,
		text: text === undefined ? undefined : fold(text),
	};
}

function readInbound(parameters: ItemParameters): boolean | undefined {
	const name = 'filters.direction';
	if (parameters.value(name) === undefined) return undefined;
	return parameters.choice({ ...directionFilter, name }, DIRECTIONS).value === 'inbound';
}

/** Whether a message passes all filters. */
export function matchesFilters(message: ParsedMessage, filters: MessageFilters): boolean {
	const { contact, inbound, statuses, text } = filters;
	if (!matchesServiceFilters(message, filters)) return false;
	// One that does not say its direction is better shown once too often than lost.
	if (inbound !== undefined && message.json.inbound === !inbound) return false;
	if (statuses.length > 0 && !statuses.includes(message.status)) return false;
	if (text !== undefined && !message.text.includes(text)) return false;
	return !contact || message.people.participants.some((number) => contact.numbers.includes(number));
}

/**
 * Whether a message passes the filters of the service. One without an inbox or a date does, since the service has
 * already applied them.
 */
export function matchesServiceFilters(
	{ json: { inboxId }, date }: ParsedMessage,
	{ inboxIds, after, before }: ServiceFilters,
): boolean {
	if (inboxIds.length > 0 && typeof inboxId === 'string' && !includesId(inboxIds, inboxId))
		return false;
	if (date === undefined) return true;
	return !(after && date <= after.getTime()) && !(before && date > before.getTime());
}
