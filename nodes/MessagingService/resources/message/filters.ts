import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { includesId, inboxIdsField, readInboxIds } from '../../panel/inboxIds';
import { filtersField, refuseEmptyFilter, requireFilterValues } from '../../panel/listFields';
import type { ItemParameters } from '../../panel/parameters';
import { type Contact, contactField, readContact } from './contact';
import { dateOf } from './message';

/** Which messages are wanted. The service filters by inbox and date; the node applies the other filters. */
export interface MessageFilters {
	/** All inboxes when empty. */
	inboxIds: string[];
	/** Only messages after this moment. */
	after?: Date;
	/** Only messages up to this moment. */
	before?: Date;
	contact?: Contact;
	inbound?: boolean;
	/** In lower case; any when empty. */
	statuses: string[];
	/** In lower case. */
	text?: string;
}

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
	{
		displayName: 'Direction',
		name: 'direction',
		type: 'options',
		options: [
			{ name: 'Inbound', value: 'inbound', description: 'Messages that contacts sent to you' },
			{ name: 'Outbound', value: 'outbound', description: 'Messages that you sent to contacts' },
		],
		default: 'inbound',
		description: 'Only messages that you received, or only those that you sent',
	},
	{
		...contactField,
		description:
			'Only messages from or to this number, with country code. Separate several numbers of one contact with commas.',
	},
	{
		displayName: 'Status',
		name: 'status',
		type: 'string',
		default: '',
		placeholder: 'e.g. failed',
		description:
			'Only messages with this delivery status, in the words of your service. Separate several with commas.',
	},
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		default: '',
		placeholder: 'e.g. appointment',
		description: 'Only messages that contain this text, in upper or lower case',
	},
);

/** Reads the filters of an item, each of which has to have a value. */
export function readMessageFilters(
	parameters: ItemParameters,
	rawParameters: INodeParameters,
): MessageFilters {
	requireFilterValues(parameters, MESSAGE_FILTERS, rawParameters);
	const after = parameters.date('filters.after', { label: 'After' });
	const before = parameters.date('filters.before', { label: 'Before' });
	if (after && before && after > before) {
		parameters.fail('"After" is later than "Before"', 'No message can match both. Swap the dates.');
	}
	const isSet = (name: string) => parameters.raw(`filters.${name}`) !== undefined;
	const statuses = parameters.texts('filters.status', { label: 'Status' });
	if (isSet('status') && statuses.length === 0) refuseEmptyFilter(parameters, 'Status');
	return {
		inboxIds: readInboxIds(parameters),
		after,
		before,
		contact: isSet('phone') ? readContact(parameters, 'filters.phone') : undefined,
		inbound: readInbound(parameters),
		statuses: statuses.map(lower),
		text: parameters.text('filters.text', { label: 'Text' })?.toLowerCase(),
	};
}

function readInbound(parameters: ItemParameters): boolean | undefined {
	const direction = parameters.text('filters.direction', { label: 'Direction' })?.toLowerCase();
	if (direction === undefined) return undefined;
	if (direction === 'inbound' || direction === 'outbound') return direction === 'inbound';
	return parameters.fail(
		'"Direction" has to be inbound or outbound',
		'Choose one from the list, or correct the expression.',
	);
}

/**
 * Whether a message passes the filters, apart from the contact. A message without an inbox or a date passes those
 * filters, since the service has already applied them.
 */
export function matches(
	message: IDataObject,
	{ inboxIds, after, before, inbound, statuses, text }: MessageFilters,
): boolean {
	const { inboxId } = message;
	if (inboxIds.length > 0 && typeof inboxId === 'string' && !includesId(inboxIds, inboxId))
		return false;
	const date = dateOf(message);
	if (date !== undefined && after && date <= after.getTime()) return false;
	if (date !== undefined && before && date > before.getTime()) return false;
	if (inbound !== undefined && message.inbound !== inbound) return false;
	if (statuses.length > 0 && !statuses.includes(lower(message.status))) return false;
	return text === undefined || lower(message.body).includes(text);
}

/** A text in lower case, for comparison; empty for anything else. */
function lower(value: unknown): string {
	return typeof value === 'string' ? value.toLowerCase() : '';
}
