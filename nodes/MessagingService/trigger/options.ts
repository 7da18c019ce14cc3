import * as n8nWorkflow from 'n8n-workflow';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { asObject, parseJson } from '../api/json';
import { Problem } from '../n8n/problem';
import type { PanelValues } from '../panel/parameters';

const DEFAULT_STATUS = 200;
/** Looked at after the field for "Ignore Outbound", unless the user has named another one. */
const DIRECTION = 'direction';

/** The options, in the order of the panel. Each has the default that applies while it is not added. */
const OPTIONS = {
	deliveryField: {
		displayName: 'Delivery ID Field',
		name: 'deliveryField',
		type: 'string',
		default: '',
		placeholder: 'e.g. data.eventId',
		description:
			'Field of the body whose value is the same for every delivery of an event, and different for every other event, for "Skip Duplicates". A path such as "data.eventId" names a place further down.',
	},
	deliveryHeader: {
		displayName: 'Delivery ID Header',
		name: 'deliveryHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Delivery-ID',
		description:
			'Header whose value is the same for every delivery of an event, and different for every other event, for "Skip Duplicates". If calls are signed, name one that is part of "Signed Content", or a recorded call with another header would be new.',
	},
	eventField: {
		displayName: 'Event Field',
		name: 'eventField',
		type: 'string',
		default: 'event',
		description: describeField('that names the event, for "Events"'),
	},
	fullRequest: {
		displayName: 'Full Request',
		name: 'fullRequest',
		type: 'boolean',
		default: false,
		description: 'Whether to output the headers, query and body instead of only the body',
	},
	inboundField: {
		displayName: 'Inbound Field',
		name: 'inboundField',
		type: 'string',
		default: 'inbound',
		description: describeField(
			`that is false, 0 or a word such as "outbound" for a message you sent, for "Ignore Outbound". While this is "inbound", the field "${DIRECTION}" counts too`,
		),
	},
	inboxField: {
		displayName: 'Inbox Field',
		name: 'inboxField',
		type: 'string',
		default: 'inboxId',
		description: describeField('with the ID of the inbox, for "Inboxes"'),
	},
	responseBody: {
		displayName: 'Response Body',
		name: 'responseBody',
		type: 'string',
		default: '',
		placeholder: 'e.g. {"received": true}',
		description: "Body of the response, as JSON or text, instead of n8n's own",
	},
	responseCode: {
		displayName: 'Response Code',
		name: 'responseCode',
		type: 'number',
		typeOptions: { minValue: 200, maxValue: 299 },
		default: DEFAULT_STATUS,
		description: 'HTTP status code of the response',
	},
} satisfies Record<string, INodeProperties>;

function describeField(what: string): string {
	return `Field of the body ${what}. It is also found in "data", "message" and "payload"; a path such as "data.author.id" names a place further down. An event without it starts the workflow.`;
}

export const triggerOptionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: Object.values(OPTIONS),
};

const RESPONSE_CODE = {
	template: `={{$parameter["options"]["responseCode"] || ${DEFAULT_STATUS}}}`,
	resolve: (parameters: INodeParameters) => {
		const { responseCode } = asObject(parameters.options);
		return Number(responseCode) || DEFAULT_STATUS;
	},
};

// n8n has this function from 2.41 on. With it, the status of a call is found without an expression.
const { webhookDescriptionFields }: Partial<typeof n8nWorkflow> = n8nWorkflow;

/**
 * How n8n answers an accepted call: with the status from the options, and the body that `webhook()` returns. Without
 * the empty `responseData`, n8n would answer with a text of its own instead.
 */
export const acceptedResponse = {
	responseMode: 'onReceived',
	responseData: '',
	...(webhookDescriptionFields?.({ responseCode: RESPONSE_CODE }) ?? {
		responseCode: RESPONSE_CODE.template,
	}),
} as const;

/** The options as they apply. */
export type TriggerOptions = ReturnType<typeof readOptions>;

/**
 * Reads the options.
 *
 * @throws {Problem} when the response code is not from 200 to 299.
 */
export function readOptions(values: PanelValues) {
	const members = values.members(triggerOptionsField);
	checkResponseCode(members.value(OPTIONS.responseCode.name));
	const body = members.textOf(OPTIONS.responseBody);
	const inboundPath = members.textOf(OPTIONS.inboundField);
	const isDefault = inboundPath === OPTIONS.inboundField.default;
	return {
		/** What identifies a delivery, the header in lower case; empty when nothing was entered. */
		deliveryHeader: members.textOf(OPTIONS.deliveryHeader).toLowerCase(),
		deliveryPath: members.textOf(OPTIONS.deliveryField),
		eventPath: members.textOf(OPTIONS.eventField),
		inboxPath: members.textOf(OPTIONS.inboxField),
		/** What says whether a message is outbound. The first that an event has counts. */
		inboundPaths: isDefault ? [inboundPath, DIRECTION] : [inboundPath],
		fullRequest: members.isOn(OPTIONS.fullRequest),
		/** Undefined leaves the body of the response to n8n. */
		responseBody: body === '' ? undefined : (parseJson(body) ?? body),
	};
}

/** n8n reads the code itself, so it is only checked. */
function checkResponseCode(value: unknown): void {
	const code = Number(value || DEFAULT_STATUS);
	if (!Number.isInteger(code) || code < 200 || code >= 300) {
		throw new Problem(
			`"${OPTIONS.responseCode.displayName}" has to be a whole number from 200 to 299`,
			'It is the status of an accepted call. With any other, the service would deliver the event again.',
		);
	}
}
