import type { IWebhookFunctions } from 'n8n-workflow';
import type { Call } from './verification';

/** The call that n8n has received, as a verification looks at it. */
export function toCall(context: IWebhookFunctions): Call {
	const { method, headers, query, originalUrl, rawBody } = context.getRequestObject();
	// Older versions of n8n do not tell the address for tests, only that for production.
	const newer: Partial<IWebhookFunctions> = context;
	const address = () =>
		newer.getWebhookResourceUrl?.('default') ?? context.getNodeWebhookUrl('default');
	return { method, headers, query, originalUrl, rawBody, address };
}
