import type { INodeProperties } from 'n8n-workflow';
import { parseJson } from '../../api/json';
import { Problem } from '../../nodeError';
import type { PanelValues } from '../panelValues';
import { AddressList } from './addresses';
import { responseCode } from './response';

const FIELDS = {
	allowedAddresses: {
		displayName: 'Allowed Addresses',
		name: 'allowedAddresses',
		type: 'string',
		default: '',
		placeholder: 'e.g. 192.0.2.10, 198.51.100.0/24, 2001:db8::/32',
		description:
			'IP addresses and networks that may call, divided by commas. Behind a proxy, n8n has to know of it: see N8N_PROXY_HOPS in its documentation.',
	},
	deliveryField: {
		displayName: 'Delivery Field',
		name: 'deliveryField',
		type: 'string',
		default: 'id',
		description:
			'Field of the body that is the same when the same event is delivered again, for "Skip Duplicates". A path such as "data.key" names a place further down.',
	},
	fullRequest: {
		displayName: 'Full Request',
		name: 'fullRequest',
		type: 'boolean',
		default: true,
		description: 'Whether to put out headers, query and body instead of the body alone',
	},
	responseBody: {
		displayName: 'Response Body',
		name: 'responseBody',
		type: 'string',
		default: '',
		placeholder: 'e.g. {"received": true}',
		description: 'What the service is answered with: JSON or text',
	},
	responseCode,
	skipDuplicates: {
		displayName: 'Skip Duplicates',
		name: 'skipDuplicates',
		type: 'boolean',
		default: true,
		description:
			'Whether this node skips events that were delivered before. Services deliver again when they are not sure that a delivery arrived.',
	},
} satisfies Record<string, INodeProperties>;

/** What else can be set. */
export const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: Object.values(FIELDS),
};

/** Who may call, what an accepted call is answered with, and what comes out of the node. */
export type Options = ReturnType<typeof readOptions>;

/**
 * Reads the options, apart from the status of the response, which n8n itself reads.
 *
 * @throws {Problem} when an entry of the allowed addresses is no address.
 */
export function readOptions(values: PanelValues) {
	const members = values.collection(options);
	const body = members.text(FIELDS.responseBody);
	return {
		/** Undefined when all may call. */
		allowedAddresses: parseAddresses(members.text(FIELDS.allowedAddresses)),
		/** Field whose value tells deliveries apart; undefined when each starts the workflow. */
		deliveryField: members.flag(FIELDS.skipDuplicates)
			? members.text(FIELDS.deliveryField)
			: undefined,
		fullRequest: members.flag(FIELDS.fullRequest),
		/** Undefined leaves the body of the response to n8n. */
		responseBody: body === '' ? undefined : (parseJson(body) ?? body),
	};
}

function parseAddresses(text: string): AddressList | undefined {
	if (text === '') return undefined;
	const list = AddressList.parse(text);
	if (list instanceof AddressList) return list;
	throw new Problem(
		`"${FIELDS.allowedAddresses.displayName}" has an entry that is no IP address: "${list.wrong}"`,
		'Enter addresses such as 192.0.2.10 or 2001:db8::1, or networks such as 192.0.2.0/24, divided by commas.',
	);
}
