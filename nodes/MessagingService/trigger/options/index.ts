import type { INodeProperties } from 'n8n-workflow';
import { parseJson } from '../../api/json';
import { Problem } from '../../nodeError';
import { deliveryFields } from '../duplicates';
import { filterFields } from '../filters';
import type { PanelValues } from '../panelValues';
import { isInAny, type Network, parseNetwork } from './addresses';
import { responseCode } from './response';

const FIELDS = {
	allowedAddresses: {
		displayName: 'Allowed Addresses',
		name: 'allowedAddresses',
		type: 'string',
		default: '',
		placeholder: 'e.g. 192.0.2.10, 198.51.100.0/24, 2001:db8::/32',
		description:
			'IP addresses and networks that may call, separated by commas. Behind a proxy, n8n has to know of it: see N8N_PROXY_HOPS in its documentation.',
	},
	...deliveryFields,
	eventField: filterFields.eventField,
	fullRequest: {
		displayName: 'Full Request',
		name: 'fullRequest',
		type: 'boolean',
		default: true,
		description: 'Whether to output the headers, query and body instead of only the body',
	},
	inboundField: filterFields.inboundField,
	inboxField: filterFields.inboxField,
	responseBody: {
		displayName: 'Response Body',
		name: 'responseBody',
		type: 'string',
		default: '',
		placeholder: 'e.g. {"received": true}',
		description: 'Body of the response, as JSON or text',
	},
	responseCode,
} satisfies Record<string, INodeProperties>;

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
 * Reads the options, apart from the fields that filters and duplicates look at.
 *
 * @param members the members of the options
 * @throws {Problem} when the allowed addresses are empty, or one is no address, or the status is none of success.
 */
export function readOptions(members: PanelValues) {
	const body = members.text(FIELDS.responseBody);
	return {
		/** Undefined when all may call. */
		allowedAddresses: readAddresses(members),
		/** Off unless it was added, although adding it turns it on. */
		fullRequest: members.raw(FIELDS.fullRequest) === true,
		/** Undefined leaves the body of the response to n8n. */
		responseBody: body === '' ? undefined : (parseJson(body) ?? body),
		/** n8n itself reads it for what it answers. */
		responseCode: readResponseCode(members),
	};
}

/** Why a call from its address is refused; undefined when it may pass. */
export function reasonOfAddress(
	{ allowedAddresses }: Pick<Options, 'allowedAddresses'>,
	{ ip = '' }: { ip?: string },
): string | undefined {
	return !allowedAddresses || isInAny(allowedAddresses, ip)
		? undefined
		: `the address ${ip} is not allowed to call`;
}

/** With any other status, the service would deliver the same event again and again. */
function readResponseCode(members: PanelValues): number {
	const code = Number(members.raw(responseCode) || responseCode.default);
	if (Number.isInteger(code) && code >= 200 && code < 300) return code;
	throw new Problem(
		`"${responseCode.displayName}" has to be a whole number from 200 to 299`,
		'It is the status of an accepted call. With any other, the service would deliver the event again.',
	);
}

function readAddresses(members: PanelValues): Network[] | undefined {
	const { allowedAddresses: field } = FIELDS;
	if (members.raw(field) === undefined) return undefined;
	const entries = members
		.text(field)
		.split(/[\s,]+/)
		.filter(Boolean);
	const networks = entries.flatMap((entry) => parseNetwork(entry) ?? []);
	if (networks.length > 0 && networks.length === entries.length) return networks;
	const wrong = entries.find((entry) => !parseNetwork(entry));
	throw new Problem(
		wrong === undefined
			? `"${field.displayName}" has no address`
			: `"${field.displayName}" has an entry that is no IP address: "${wrong}"`,
		'Enter addresses such as 192.0.2.10 or 2001:db8::1, or networks such as 192.0.2.0/24, separated by commas. To let all addresses call, remove the option.',
	);
}
