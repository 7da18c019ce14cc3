import {
	type Icon,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IHttpRequestOptions,
	type INodeProperties,
	UserError,
} from 'n8n-workflow';
import { DEFAULT_NAMES, readAccount } from '../nodes/MessagingService/api/account';
import { isSameOrigin } from '../nodes/MessagingService/api/url';

const whenCustom = { displayOptions: { show: { customNames: [true] } } };

// Both in the words of n8n's request helper and in those of its older one, which HTTP Request uses.
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
};

// The older helper calls the address `uri`.
function addressOf(request: IHttpRequestOptions & { uri?: string }): string {
	return new URL(request.url ?? request.uri, request.baseURL).href;
}

export class MessagingServiceApi implements ICredentialType {
	name = 'messagingServiceApi';

	displayName = 'Messaging Service API';

	icon: Icon = {
		light: 'file:../icons/messagingService.svg',
		dark: 'file:../icons/messagingService.dark.svg',
	};

	documentationUrl = 'https://example.com/n8n-nodes-messaging-service#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://messaging.example.com',
			description: 'Address of your messaging service, without "/public" and what follows',
			hint: 'The beginning of the webhook addresses that the agent builder shows. You can paste a whole one.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'The key of your team. Each team needs a credential of its own.',
			hint: 'Generate it in the team settings of your service, in the API section. It is shown only once, so paste it here right away.',
		},
		{
			displayName: 'Webhook Secret',
			name: 'webhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'The secret or the public key that incoming events are verified with',
			hint: 'Leave it empty if you do not use the trigger node',
		},
		{
			displayName: 'Previous Webhook Secret',
			name: 'previousWebhookSecret',
			type: 'string',
			typeOptions: { password: true },
			displayOptions: { hide: { webhookSecret: [''] } },
			default: '',
			description: 'The secret that is accepted beside the webhook secret',
			hint: 'Only while you replace the webhook secret. Clear it as soon as your service uses the new one.',
		},
		{
			displayName: 'Verify Token',
			name: 'verifyToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'The verify token that you also enter at the service. Do not use the webhook secret for it, because it is sent in the address.',
			hint: 'Leave it empty unless you set "Address Check" of a trigger node to "Challenge in Query Parameter"',
		},
		{
			displayName: 'Custom Names',
			name: 'customNames',
			type: 'boolean',
			default: false,
			description: 'Whether your deployment spells parts of its addresses differently',
			hint: 'Turn this on only if a list ignores its filters or pages, or if creating an external inbox fails with status 404',
		},
		{
			displayName: 'Connector Segment',
			name: 'connectorSegment',
			type: 'string',
			default: DEFAULT_NAMES.connectorSegment,
			description: 'The part before "-connector" in the address for external inboxes',
			...whenCustom,
		},
		{
			displayName: 'Inbox IDs Parameter',
			name: 'inboxIdsParameter',
			type: 'string',
			default: DEFAULT_NAMES.inboxIdsParameter,
			description: 'Name of the query parameter that filters messages by inbox',
			...whenCustom,
		},
		{
			displayName: 'Inbox IDs Format',
			name: 'inboxIdsFormat',
			type: 'options',
			default: DEFAULT_NAMES.inboxIdsFormat,
			description: 'How several inbox IDs are written',
			options: [
				{ name: 'Brackets (a[]=1&a[]=2)', value: 'brackets' },
				{ name: 'Comma (a=1,2)', value: 'comma' },
				{ name: 'Repeat (a=1&a=2)', value: 'repeat' },
			],
			...whenCustom,
		},
		{
			displayName: 'After Parameter',
			name: 'afterParameter',
			type: 'string',
			default: DEFAULT_NAMES.afterParameter,
			description: 'Name of the query parameter for messages after a date',
			...whenCustom,
		},
		{
			displayName: 'Before Parameter',
			name: 'beforeParameter',
			type: 'string',
			default: DEFAULT_NAMES.beforeParameter,
			description: 'Name of the query parameter for messages up to a date',
			...whenCustom,
		},
		{
			displayName: 'Date Format',
			name: 'dateFormat',
			type: 'options',
			default: DEFAULT_NAMES.dateFormat,
			description: 'How dates are written in filters',
			options: [
				{ name: 'ISO 8601: 2026-01-31T08:00:00.000Z', value: 'iso' },
				{ name: 'Unix Milliseconds: 1769846400000', value: 'unixMilliseconds' },
				{ name: 'Unix Seconds: 1769846400', value: 'unixSeconds' },
			],
			...whenCustom,
		},
		{
			displayName: 'Limit Parameter',
			name: 'limitParameter',
			type: 'string',
			default: DEFAULT_NAMES.limitParameter,
			description: 'Name of the query parameter for the page size of messages and templates',
			...whenCustom,
		},
		{
			displayName: 'Page Parameter',
			name: 'pageParameter',
			type: 'string',
			default: DEFAULT_NAMES.pageParameter,
			description: 'Name of the query parameter for the page number of messages and templates',
			...whenCustom,
		},
	];

	/**
	 * Puts the key on a request (interface, Authentication), also on those of n8n's HTTP Request node with
	 * this credential. It goes to the origin of the base URL only, and follows no redirect away from there.
	 */
	async authenticate(
		credential: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { baseUrl, apiKey } = readAccount(credential);
		if (!isSameOrigin(baseUrl, addressOf(request))) {
			throw new UserError(`The API key is sent only to ${baseUrl.origin}, not to another address`);
		}
		return { ...request, ...NO_REDIRECTS, headers: { ...request.headers, apiKey } };
	}
}
