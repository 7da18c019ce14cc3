import * as n8nWorkflow from 'n8n-workflow';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { asObject } from '../api/json';
import { Problem } from '../words/problem';
import { isBlank, type PanelValues } from '../panel/parameters';

const DEFAULT_STATUS = 200;

/** The status of an accepted call. */
export const responseCodeField = {
	displayName: 'Response Code',
	name: 'responseCode',
	type: 'number',
	typeOptions: { minValue: 200, maxValue: 299 },
	default: DEFAULT_STATUS,
	description: 'HTTP status code of the response',
} satisfies INodeProperties;

/**
 * Checks the status of an accepted call; 0, as n8n has it for a number that was cleared, stands for the default.
 *
 * @param options the collection that the field is in
 */
export function checkResponseCode(options: PanelValues): void {
	const code = options.value(responseCodeField.name);
	if (isBlank(code) || /^(?:0|2\d\d)$/.test(String(code))) return;
	throw new Problem(
		`"${responseCodeField.displayName}" has to be a whole number from 200 to 299`,
		'It is the status of an accepted call. With any other, the service would deliver the event again.',
	);
}

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
