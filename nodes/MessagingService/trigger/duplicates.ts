import { createHash } from 'crypto';
import type { IDataObject, INodeProperties, IWebhookFunctions } from 'n8n-workflow';
import { isObject } from '../api/json';
import { type PanelValues, toText } from './panelValues';
import { readPath } from './path';

type Request = Pick<ReturnType<IWebhookFunctions['getRequestObject']>, 'headers' | 'rawBody'>;

/** Services deliver again when they are not sure that a delivery arrived. */
export const skipDuplicates: INodeProperties = {
	displayName: 'Skip Duplicates',
	name: 'skipDuplicates',
	type: 'boolean',
	default: true,
	description:
		'Whether to skip what was delivered before: with the same delivery ID in a header, or, within three days, with exactly the same body if there is an ID in it. Two events that merely look alike both start the workflow.',
};

/** What else tells deliveries apart. They are members of the options. */
export const deliveryFields = {
	deliveryField: {
		displayName: 'Delivery Field',
		name: 'deliveryField',
		type: 'string',
		default: '',
		placeholder: 'e.g. data.eventId',
		description:
			'Field of the body whose value is the same for every delivery of an event, and different for every other event, for "Skip Duplicates". Needed only if the rest of the body changes from one delivery to the next. A path such as "data.eventId" names a place further down.',
	},
	deliveryHeader: {
		displayName: 'Delivery Header',
		name: 'deliveryHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Delivery-ID',
		description:
			'Header whose value is the same for every delivery of an event, and different for every other event, for "Skip Duplicates". The headers of Standard Webhooks and of well-known services need not be entered.',
	},
} satisfies Record<string, INodeProperties>;

/**
 * Headers that, by the documentation of those who send them, have one value for all deliveries of one event and
 * another one for each other event. The name of a subscription or of an attempt would not do.
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

const DAY = 24 * 60 * 60 * 1_000;
/** For so many days at least, a body is remembered: longer than services deliver it again. */
const DAYS_OF_BODIES = 3;

export type Duplicates = NonNullable<ReturnType<typeof readDuplicates>>;

/**
 * Reads how deliveries are told apart; undefined when each starts the workflow.
 *
 * @param options the members of the options
 */
export function readDuplicates(values: PanelValues, options: PanelValues) {
	if (!values.boolean(skipDuplicates)) return undefined;
	return {
		/** Empty when it was not entered. */
		header: options.text(deliveryFields.deliveryHeader).toLowerCase(),
		/** Empty when it was not entered. */
		field: options.text(deliveryFields.deliveryField),
	};
}

/**
 * What a delivery has in common with no other event, but with each repetition of its own; undefined when nothing
 * tells that for certain. What somebody entered comes first, then the headers that are known, then the body: the
 * same one may mean something new after some days, so it has an ID for each day.
 *
 * @param now milliseconds since 1970
 * @returns The ID to remember it by, and those by which it may have been remembered earlier.
 */
export function deliveryOf(
	{ headers, rawBody }: Request,
	event: IDataObject,
	{ header, field }: Duplicates,
	now: number,
): string[] | undefined {
	if (header !== '' && toText(headers[header])) return [`${header}: ${toText(headers[header])}`];
	const value = field === '' ? '' : toText(readPath(event, field));
	if (value) return [`${field}=${value}`];
	const known = DELIVERY_HEADERS.find((name) => toText(headers[name]));
	if (known !== undefined) return [`${known}: ${toText(headers[known])}`];
	if (!rawBody || !carriesId(event)) return undefined;
	const hash = createHash('sha256').update(rawBody).digest('base64url');
	const today = Math.floor(now / DAY);
	return Array.from({ length: DAYS_OF_BODIES + 1 }, (_, days) => `${hash} ${today - days}`);
}

const ID_NAME =
	/^_?(?:(?:event|message|delivery|notification|request)[_-]?)?(?:id|uuid|guid|sid)$/i;

/**
 * Whether an event says which one it is: by a field that is named so, at the top or one level down. The entries
 * of a list stand where the list does. The ID of something else, such as `inboxId`, is the same in many events.
 */
function carriesId(event: IDataObject): boolean {
	// A body that is a list comes as the only field of an event.
	const { body, ...rest } = event;
	const top = Array.isArray(body) && Object.keys(rest).length === 0 ? body : [event];
	const parts = top.filter(isObject);
	return [...parts, ...parts.flatMap((part) => Object.values(part).flat().filter(isObject))].some(
		(part) => Object.keys(part).some((name) => ID_NAME.test(name) && Boolean(toText(part[name]))),
	);
}
