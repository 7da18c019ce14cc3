import { fromParameter, type IWebhookDescription, webhookDescriptionFields } from 'n8n-workflow';

type Description = Pick<IWebhookDescription, 'responseCode' | 'responseData'>;

const RESPONSE_CODE = '={{$parameter["options"]["responseCode"] || 200}}';

/**
 * What n8n answers with: the status from the options of the trigger, and the body that `receive` gives.
 *
 * Where n8n offers it, these are read without its expression engine, which would cost more than all else that
 * a call does. There is no parameter `responseData`: without this entry, n8n would answer with a word of its
 * own instead of the body.
 */
export const response: Description = readNatively() ?? {
	responseCode: RESPONSE_CODE,
	responseData: '={{$parameter["responseData"]}}',
};

function readNatively(): Description | undefined {
	// Older versions of n8n have no such functions.
	const has: { describe?: unknown } = { describe: webhookDescriptionFields };
	if (typeof has.describe !== 'function') return undefined;
	return webhookDescriptionFields({
		responseCode: {
			template: RESPONSE_CODE,
			resolve: ({ options }) => Number(Reflect.get(Object(options), 'responseCode')) || 200,
		},
		responseData: fromParameter('responseData'),
	});
}
