import type { IWebhookFunctions } from 'n8n-workflow';
import type { Call } from './verification';

/** The call that n8n has received, as a verification looks at it. */
export function toCall(context: IWebhookFunctions): Call {
	const { method, headers, query, originalUrl, rawBody } = context.getRequestObject();
	return {
		method,
		headers,
		query,
		originalUrl,
		rawBody,
		address: () => addressOf(context, originalUrl),
	};
}

function addressOf(context: IWebhookFunctions, originalUrl: string): string | undefined {
	const newer: Partial<IWebhookFunctions> = context;
	if (newer.getWebhookResourceUrl) return newer.getWebhookResourceUrl('default');
	const address = context.getNodeWebhookUrl('default');
	if (address === undefined || context.getMode() !== 'manual') return address;
	// Before 2.x, n8n gives the address for production also while the trigger is tried out.
	const [path] = originalUrl.split('?', 1);
	const length = path.split('/').length - 1;
	return address.split('/').slice(0, -length).join('/') + path;
}
