import type { INodeProperties } from 'n8n-workflow';

/** What else can be set. */
export const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [
		{
			displayName: 'Allowed Addresses',
			name: 'allowedAddresses',
			type: 'string',
			default: '',
			placeholder: 'e.g. 192.0.2.10, 198.51.100.0/24, 2001:db8::/32',
			description:
				'IP addresses and networks that may call, divided by commas. Behind a proxy, n8n has to know of it: see N8N_PROXY_HOPS in its documentation.',
		},
		{
			displayName: 'Delivery Field',
			name: 'deliveryField',
			type: 'string',
			default: 'id',
			description:
				'Field of the body that is the same when the same event is delivered again, for "Skip Duplicates". A path such as "data.key" names a place further down.',
		},
		{
			displayName: 'Full Request',
			name: 'fullRequest',
			type: 'boolean',
			default: true,
			description: 'Whether to put out headers, query and body instead of the body alone',
		},
		{
			displayName: 'Response Body',
			name: 'responseBody',
			type: 'string',
			default: '',
			placeholder: 'e.g. {"received": true}',
			description: 'What the service is answered with: JSON or text',
		},
		{
			displayName: 'Response Code',
			name: 'responseCode',
			type: 'number',
			typeOptions: { minValue: 200, maxValue: 299 },
			default: 200,
			description: 'The status that the service is answered with',
		},
		{
			displayName: 'Skip Duplicates',
			name: 'skipDuplicates',
			type: 'boolean',
			default: true,
			description:
				'Whether an event that was delivered before starts nothing. Services deliver again when they are not sure that a delivery arrived.',
		},
	],
};
