import * as n8nWorkflow from 'n8n-workflow';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { asObject, parseJson } from '../api/json';
import { Problem } from '../n8n/problem';
import type { PanelValues } from '../panel/parameters';
import { deliveryFields } from './duplicates';
import { filterFields } from './filters';

const DEFAULT_STATUS = 200;

const FIELDS = {
	fullRequest: {
		displayName: 'Full Request',
		name: 'fullRequest',
		type: 'boolean',
		default: true,
		description: 'Whether to output the headers, query and body instead of only the body',
	},
	responseBody: {
		displayName: 'Response Body',
		name: 'responseBody',
		type: 'string',
		default: '',
		placeholder: 'e.g. {"received": true}',
		description: 'Body of the response, as JSON or text',
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

export const optionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [
		deliveryFields.deliveryField,
		filterFields.eventField,
		filterFields.inboundField,
		filterFields.inboxField,
		FIELDS.fullRequest,
		deliveryFields.deliveryHeader,
		FIELDS.responseBody,
		FIELDS.responseCode,
	],
};

const RESPONSE_CODE = {
	template: `={{$parameter["options"]["responseCode"] || ${DEFAULT_STATUS}}}`,
	resolve: (parameters: INodeParameters) => {
		const { responseCode } = asObject(parameters.options);
		return Number(responseCode) || DEFAULT_STATUS;
	},
};

// n8n has this function from 2.41 on. With it, finding the status of a call does not start the expression engine.
const { webhookDescriptionFields }: Partial<typeof n8nWorkflow> = n8nWorkflow;

/**
 * How n8n answers an accepted call: with the status from the options, and the body that `webhook()` returns. Without
 * the empty `responseData`, n8n would answer with a text of its own instead.
 */
export const response = {
	responseMode: 'onReceived',
	responseData: '',
	...(webhookDescriptionFields?.({ responseCode: RESPONSE_CODE }) ?? {
		responseCode: RESPONSE_CODE.template,
	}),
} as const;

/** How calls are answered, and what the trigger outputs. */
export interface TriggerOptions {
	fullRequest: boolean;
	/** Undefined leaves the body of the response to n8n. */
	responseBody?: unknown;
}

/**
 * Reads the options, apart from the fields that filters and duplicates look at.
 *
 * @param members the members of the options
 * @throws {Problem} when the response code is not from 200 to 299.
 */
export function readOptions(members: PanelValues): TriggerOptions {
	const body = members.textOf(FIELDS.responseBody);
	const code = Number(members.raw(FIELDS.responseCode.name) || DEFAULT_STATUS);
	if (!Number.isInteger(code) || code < 200 || code >= 300) {
		throw new Problem(
			`"${FIELDS.responseCode.displayName}" has to be a whole number from 200 to 299`,
			'It is the status of an accepted call. With any other, the service would deliver the event again.',
		);
	}
	return {
		/** Off unless the option was added. Its default, on, applies only once it is added. */
		fullRequest: members.raw(FIELDS.fullRequest.name) === true,
		responseBody: body === '' ? undefined : (parseJson(body) ?? body),
	};
}
