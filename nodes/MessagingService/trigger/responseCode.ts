import { fromParameter, type IWebhookDescription, webhookDescriptionFields } from 'n8n-workflow';

type Description = Pick<IWebhookDescription, 'responseCode'>;

/**
 * The status that n8n answers with, from the options of the trigger. Where n8n offers it, the value is read
 * without its expression engine, which would cost more than all else that a call does.
 */
export const responseCode: Description = readNatively() ?? {
	responseCode: '={{$parameter["options"]["responseCode"] || 200}}',
};

function readNatively(): Description | undefined {
	// Older versions of n8n have no such functions.
	const has: { describe?: unknown } = { describe: webhookDescriptionFields };
	if (typeof has.describe !== 'function') return undefined;
	return webhookDescriptionFields({
		responseCode: fromParameter(['options', 'responseCode']),
	});
}
