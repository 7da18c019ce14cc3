import type { IWebhookFunctions } from 'n8n-workflow';
import type { Call } from './verification';

/** The call that n8n has received, as a verification looks at it. */
export function toCall(context: IWebhookFunctions): Call {
	const { method, headers, query, originalUrl, rawBody } = context.getRequestObject();
	return { method, headers, query, originalUrl, rawBody, address: () => addressOf(context) };
}

// Only newer versions of n8n tell the address for tests; the older ones give that for production instead.
function addressOf(context: IWebhookFunctions): string | undefined {
	const newer: Partial<IWebhookFunctions> = context;
	return newer.getWebhookResourceUrl?.('default') ?? context.getNodeWebhookUrl('default');
}
