import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isId } from '../api/json';
import type { PanelValues } from '../panel/parameters';
import { partsOf, readPath, type WebhookRequest } from './events';

/** Services deliver again when they are not sure that a delivery arrived. */
export const skipDuplicatesField: INodeProperties = {
	displayName: 'Skip Duplicates',
	name: 'skipDuplicates',
	type: 'boolean',
	default: true,
	description:
		'Whether to skip what was delivered before: with the same delivery ID in a header, or word for word the same and with an ID, however much later. What has no ID always starts the workflow.',
};

/** Further ways to identify deliveries. These fields are members of the options. */
export const deliveryFields = {
	deliveryField: {
		displayName: 'Field Name: Delivery ID',
		name: 'deliveryField',
		type: 'string',
		default: '',
		placeholder: 'e.g. data.eventId',
		description:
			'Field of the body whose value is the same for every delivery of an event, and different for every other event, for "Skip Duplicates". A path such as "data.eventId" names a place further down.',
	},
	deliveryHeader: {
		displayName: 'Header Name: Delivery ID',
		name: 'deliveryHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Delivery-ID',
		description:
			'Header whose value is the same for every delivery of an event, and different for every other event, for "Skip Duplicates". The headers of Standard Webhooks and of well-known services need not be entered.',
	},
} satisfies Record<string, INodeProperties>;

/**
 * Headers that, according to the documentation of their senders, are the same for all deliveries of an event and
 * different for every other event. The ID of a subscription or of a delivery attempt would not do.
 */
const DELIVERY_HEADERS = [
	'webhook-id', // Standard Webhooks
	'svix-id', // Svix
	'idempotency-key', // GitLab, and the draft of the IETF
	'x-event-id', // Prolific
	'x-github-delivery',
	'x-shopify-webhook-id',
	'i-twilio-idempotency-token',
	'linear-delivery',
	'twitch-eventsub-message-id',
	'x-atlassian-webhook-identifier',
	'x-cio-delivery-id', // Customer.io
	'x-contentful-idempotency-key',
	'x-gr4vy-webhook-id',
	'x-pandadoc-webhook-event-id',
];

/** The fields that may hold the ID of an event, or of the message that it is about. */
const ID_FIELDS = ['id', 'eventId', 'event_id', 'messageId', 'message_id'];

/** The header and the field that the user has entered to identify deliveries. */
export interface DuplicateRule {
	/** In lower case; empty when it was not entered. */
	header: string;
	/** Empty when it was not entered. */
	field: string;
}

/**
 * Reads how to recognize repeated deliveries; undefined when every delivery starts the workflow.
 *
 * @param options the members of the options
 */
export function readDuplicates(
	values: PanelValues,
	options: PanelValues,
): DuplicateRule | undefined {
	if (!values.isOn(skipDuplicatesField)) return undefined;
	return {
		header: options.textOf(deliveryFields.deliveryHeader).toLowerCase(),
		field: options.textOf(deliveryFields.deliveryField),
	};
}

/**
 * An ID that a delivery shares with its repetitions, and with no other event; undefined when there is none. It comes
 * from what the user has entered, else from a known header, else it is the whole event, if that has an ID. In the last
 * case, an event that comes again word for word is a repetition, however much later.
 *
 * @param index the index of the event in its call; all events of a call share its headers
 */
export function deliveryOf(
	headers: WebhookRequest['headers'],
	event: IDataObject,
	index: number,
	{ header, field }: DuplicateRule,
): string | undefined {
	const inHeader = (name: string) => {
		const value = idOf(headers[name]);
		return value && `${name}: ${value} ${index}`;
	};
	const value = field && idOf(readPath(event, field));
	const inField = value ? `${field}=${value}` : undefined;
	return (
		inHeader(header) ?? inField ?? DELIVERY_HEADERS.map(inHeader).find(Boolean) ?? ownIdOf(event)
	);
}

/**
 * The whole event as text, if it has an ID. The ID alone may be that of a message or a contact, which have several
 * events. Undefined without an ID, since two people may write the same.
 */
function ownIdOf(event: IDataObject): string | undefined {
	const hasId = partsOf(event).some((part) => ID_FIELDS.some((name) => idOf(readPath(part, name))));
	return hasId ? JSON.stringify(event) : undefined;
}

/** A text or a number as trimmed text; undefined when it is empty or anything else. */
function idOf(value: unknown): string | undefined {
	return isId(value) ? String(value).trim() || undefined : undefined;
}
