import { fromParameter, type IWebhookDescription, webhookDescriptionFields } from 'n8n-workflow';

type Description = Pick<IWebhookDescription, 'responseCode' | 'responseData'>;

/**
 * What n8n answers with: the status from the options of the trigger, and the body that `receive` gives.
 *
 * Where n8n offers it, these are read without its expression engine, which would cost more than all else that
 * a call does. There is no parameter `responseData`: without this entry, n8n would answer with a word of its
 * own instead of the body.
 */
export const response: Description = readNatively() ?? {
	responseCode: '={{$parameter["options"]["responseCode"] || 200}}',
	responseData: '={{$parameter["responseData"]}}',
};

function readNatively(): Description | undefined {
	// Older versions of n8n have no such functions.
	const has: { describe?: unknown } = { describe: webhookDescriptionFields };
	if (typeof has.describe !== 'function') return undefined;
	return webhookDescriptionFields({
		responseCode: fromParameter(['options', 'responseCode']),
		responseData: fromParameter('responseData'),
	});
}
