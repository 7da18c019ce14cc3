import type { INodeProperties } from 'n8n-workflow';
import { parseJson } from '../api/json';
import { inboxIdsField, readInboxIds } from '../panel/inboxIds';
import { type PanelValues, splitList } from '../panel/parameters';
import { checkResponseCode, responseCodeField } from './response';
import { readVerification } from './verification';
import { readHeaderName } from './verification/call';

/** The events that start the workflow. Automatic registration subscribes to these only. */
export const eventsField: INodeProperties = {
	displayName: 'Events',
	name: 'events',
	type: 'string',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add event' },
	default: [],
	placeholder: 'e.g. message.received',
	description:
		'Names of the events that start the workflow, as your service writes them. If the list is empty, every event does; so does one without a name. For any other condition, put a Filter node behind this trigger.',
};

/** Keeps a workflow that answers messages from answering its own. */
const ignoreOutboundField: INodeProperties = {
	displayName: 'Ignore Outbound',
	name: 'ignoreOutbound',
	type: 'boolean',
	default: true,
	description:
		'Whether to ignore events about messages that you sent: those that say "inbound": false, or "direction": "outbound". Turn it off to follow the delivery of your own messages.',
};

/** Services deliver again when they are not sure that a delivery arrived. */
const skipDuplicatesField: INodeProperties = {
	displayName: 'Skip Duplicates',
	name: 'skipDuplicates',
	type: 'boolean',
	default: true,
	description:
		'Whether to skip what was delivered before: with the same delivery ID, or, if there is none, with the same body within twelve hours',
};

const filtersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	description: 'Which events start the workflow. Others are accepted, and nothing happens.',
	options: [
		{
			...inboxIdsField,
			description:
				'Events of other inboxes do not start the workflow. Events that name no inbox do.',
		},
	],
};

/** The options, in the order of the panel. Each has the default that applies while it is not added. */
const OPTIONS = {
	deliveryField: {
		displayName: 'Delivery ID Field',
		name: 'deliveryField',
		type: 'string',
		default: '',
		placeholder: 'e.g. data.eventId',
		description:
			'Field of the body with the ID of the event, for "Skip Duplicates", or a path such as "data.eventId". The ID of a message will not do if several events are about it.',
	},
	deliveryHeader: {
		displayName: 'Delivery ID Header',
		name: 'deliveryHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Delivery-ID',
		description:
			'Header with the ID of the event, for "Skip Duplicates". If calls are signed, name one in "Signed Content", or a recorded call looks new.',
	},
	eventField: bodyField('Event Field', 'eventField', 'event', 'that names the event, for "Events"'),
	fullRequest: {
		displayName: 'Full Request',
		name: 'fullRequest',
		type: 'boolean',
		default: false,
		description: 'Whether to output the headers, query and body instead of only the body',
	},
	inboundField: bodyField(
		'Inbound Field',
		'inboundField',
		'inbound, direction',
		'that is false, 0 or a word such as "outbound" for a message you sent, for "Ignore Outbound". Of several, separated by commas, the first that an event has counts',
	),
	inboxField: bodyField(
		'Inbox Field',
		'inboxField',
		'inboxId',
		'with the ID of the inbox, for "Inboxes"',
	),
	responseBody: {
		displayName: 'Response Body',
		name: 'responseBody',
		type: 'string',
		default: '',
		placeholder: 'e.g. {"received": true}',
		description: "Body of the response, as JSON or text, instead of n8n's own",
	},
	responseCode: responseCodeField,
} satisfies Record<string, INodeProperties>;

/** An option that names a field of events. */
function bodyField(
	displayName: string,
	name: string,
	preset: string,
	what: string,
): INodeProperties {
	const description = `Field of the body ${what}. It is also found in "data", "message" and "payload" or a "message" in these, or by a path such as "data.author.id". An event without it starts the workflow.`;
	return { displayName, name, type: 'string', default: preset, description };
}

const optionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: Object.values(OPTIONS),
};

/** What becomes of a call that may pass, beside the names of its events. */
export const receivingFields = [
	ignoreOutboundField,
	skipDuplicatesField,
	filtersField,
	optionsField,
];

/** All settings that a call depends on. */
export type Settings = ReturnType<typeof readSettings>;

/**
 * Reads all settings that a call depends on.
 *
 * @throws {Problem} when one of them is invalid. It never falls back to a default.
 */
export function readSettings(values: PanelValues) {
	const options = values.members(optionsField);
	const responseBody = options.textOf(OPTIONS.responseBody);
	checkResponseCode(options);
	return {
		/** Undefined when calls need not be verified. */
		verification: readVerification(values),
		/** Which events start the workflow, and which of their fields say so. */
		filters: {
			/** In a fixed order. All when there are none. */
			events: readEventNames(values),
			eventField: options.textOf(OPTIONS.eventField),
			ignoreOutbound: values.isOn(ignoreOutboundField),
			/** The first that an event has counts. */
			inboundFields: splitList(options.textOf(OPTIONS.inboundField)),
			/** All when there are none. */
			inboxIds: readInboxIds(values),
			inboxField: options.textOf(OPTIONS.inboxField),
		},
		skipDuplicates: values.isOn(skipDuplicatesField),
		/** What the user says that identifies a delivery; empty when it was not entered. */
		deliveryHeader: readHeaderName(options, OPTIONS.deliveryHeader),
		deliveryField: options.textOf(OPTIONS.deliveryField),
		fullRequest: options.isOn(OPTIONS.fullRequest),
		/** Undefined leaves the body of the response to n8n. */
		responseBody: responseBody === '' ? undefined : (parseJson(responseBody) ?? responseBody),
	};
}

function readEventNames(values: PanelValues): string[] {
	const { name, displayName: label } = eventsField;
	const entries = [values.value(name) ?? []].flat();
	if (entries.some((entry) => splitList(String(entry ?? '')).length === 0)) {
		values.fail(
			`"${label}" has an entry without a name`,
			'Enter the name of an event, or remove the entry. Without any entry, all events start the workflow.',
		);
	}
	return [...new Set(values.texts(name, { label }))].sort();
}
