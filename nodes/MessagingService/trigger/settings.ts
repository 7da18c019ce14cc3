import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { toInboxIds } from '../fields/inboxIds';
import { operationError } from '../transport/errors';
import { isObject, parseJson } from '../transport/json';
import { AddressList } from './addresses';
import type { Comparison, Condition, EventFilters } from './filters';
import type { Signature, Verification } from './verification';

export const SECRET_HEADER = 'X-Webhook-Secret';
export const SECRET_PARAMETER = 'secret';
export const SIGNATURE_HEADER = 'X-Signature';

/** The n8n contexts of a trigger: when it is switched on and off, and when a call comes in. */
export type TriggerContext = IHookFunctions | IWebhookFunctions;

/** Reads the members of the panel's collections, with the defaults that the panel shows. */
class Collection {
	private readonly members: IDataObject;

	constructor(context: TriggerContext, name: string) {
		const members: unknown = context.getNodeParameter(name, {});
		this.members = isObject(members) ? members : {};
	}

	text(name: string, fallback: string): string {
		return toText(this.members[name]) || fallback;
	}

	number(name: string, fallback: number): number {
		const number = Number(this.members[name] ?? NaN);
		return Number.isFinite(number) ? number : fallback;
	}

	flag(name: string): boolean {
		return this.members[name] === true;
	}

	raw(name: string): unknown {
		return this.members[name];
	}
}

/** How calls have to prove where they come from. */
export function readVerification(context: TriggerContext): Verification {
	const kind: unknown = context.getNodeParameter('verification', 'sharedSecret');
	if (kind === 'none') return { kind };
	if (kind === 'hmac') return { kind, ...readSignature(context) };
	const place = context.getNodeParameter('secretIn', 'header') === 'query' ? 'query' : 'header';
	const [field, usual] =
		place === 'query' ? ['parameterName', SECRET_PARAMETER] : ['headerName', SECRET_HEADER];
	return {
		kind: 'sharedSecret',
		place,
		name: toText(context.getNodeParameter(field, '')) || usual,
	};
}

const ALGORITHMS: ReadonlyArray<Signature['algorithm']> = ['sha1', 'sha256', 'sha512'];

function readSignature(context: TriggerContext): Signature {
	const options = new Collection(context, 'signature');
	const secretEncoding = options.raw('secretEncoding');
	return {
		header: toText(context.getNodeParameter('signatureHeader', '')) || SIGNATURE_HEADER,
		algorithm: ALGORITHMS.find((each) => each === options.raw('algorithm')) ?? 'sha256',
		encoding: options.raw('encoding') === 'base64' ? 'base64' : 'hex',
		prefix: options.text('prefix', ''),
		secretEncoding:
			secretEncoding === 'base64' || secretEncoding === 'hex' ? secretEncoding : 'utf8',
		timestampHeader: options.text('timestampHeader', ''),
		tolerance: options.number('tolerance', 300),
		signedContent: options.text('signedContent', '{body}'),
	};
}

/**
 * Checks that a signature covers what it has to.
 *
 * @throws {NodeOperationError} when it would fit another body too, or never fit.
 */
export function checkSignature(context: TriggerContext, verification: Verification): void {
	if (verification.kind !== 'hmac') return;
	const { signedContent, timestampHeader } = verification;
	if (!signedContent.includes('{body}')) {
		throw operationError(context.getNode(), '"Signed Content" does not contain {body}', {
			description:
				'A signature that is not made of the body would let in any body. Enter {body} where the body stands in what your service signs.',
		});
	}
	if (signedContent.includes('{timestamp}') && timestampHeader === '') {
		throw operationError(context.getNode(), '"Timestamp Header" is missing', {
			description:
				'"Signed Content" contains {timestamp}, so enter the header in which your service sends the time.',
		});
	}
}

/**
 * The addresses that may call; undefined when all may.
 *
 * @throws {NodeOperationError} when an entry of the list is no address.
 */
export function readAllowedAddresses(context: TriggerContext): AddressList | undefined {
	const text = new Collection(context, 'options').text('allowedAddresses', '');
	if (text === '') return undefined;
	const list = AddressList.parse(text);
	if (list instanceof AddressList) return list;
	throw operationError(
		context.getNode(),
		`"Allowed Addresses" has an entry that is no IP address: "${list.wrong}"`,
		{
			description:
				'Enter addresses such as 192.0.2.10 or 2001:db8::1, or networks such as 192.0.2.0/24, divided by commas.',
		},
	);
}

/** Which events start the workflow. */
export function readFilters(context: TriggerContext): EventFilters {
	const filters = new Collection(context, 'filters');
	return {
		events: readEvents(context),
		eventField: filters.text('eventField', 'event'),
		inboundOnly: filters.flag('inboundOnly'),
		inboundField: filters.text('inboundField', 'inbound'),
		inboxIds: toInboxIds(filters.raw('inboxIds')),
		inboxField: filters.text('inboxField', 'inboxId'),
		conditions: readConditions(filters.raw('conditions')),
	};
}

/** The names of the events that are wanted; all when there are none. */
export function readEvents(context: TriggerContext): string[] {
	const value: unknown = context.getNodeParameter('events', []);
	const names = [value].flat().flatMap((entry) => (toText(entry) ?? '').split(','));
	return [...new Set(names.map((name) => name.trim()).filter(Boolean))].sort();
}

const COMPARISONS: readonly Comparison[] = [
	'contains',
	'equals',
	'exists',
	'greaterThan',
	'lessThan',
	'notContains',
	'notEquals',
	'notExists',
	'startsWith',
];

function readConditions(value: unknown): Condition[] {
	const rows = isObject(value) && Array.isArray(value.values) ? value.values : [];
	return rows.filter(isObject).flatMap((row) => {
		const field = toText(row.field);
		const comparison = COMPARISONS.find((each) => each === row.comparison) ?? 'equals';
		return field ? [{ field, comparison, value: toText(row.value) ?? '' }] : [];
	});
}

/** What an accepted call is answered with, and what comes out of the node. */
export interface Reception {
	/** Body of the answer; undefined leaves it to n8n. */
	responseBody: unknown;
	fullRequest: boolean;
	/** The field whose value tells deliveries apart; undefined when each starts the workflow. */
	deliveryField?: string;
}

/** How calls that passed are treated. */
export function readReception(context: TriggerContext): Reception {
	const options = new Collection(context, 'options');
	const body = options.text('responseBody', '');
	return {
		responseBody: body === '' ? undefined : (parseJson(body) ?? body),
		fullRequest: options.flag('fullRequest'),
		deliveryField: options.flag('skipDuplicates') ? options.text('deliveryField', 'id') : undefined,
	};
}

/** How the service is asked for its events. */
export interface SubscriptionSettings {
	/** Path below the base URL. */
	path: string;
	urlField: string;
	eventsField: string;
	idField: string;
	/** Field for the webhook secret; empty when the service is not told it. */
	secretField: string;
}

/** How to subscribe; undefined when somebody enters the address at the service by hand. */
export function readSubscription(context: TriggerContext): SubscriptionSettings | undefined {
	if (context.getNodeParameter('registration', 'manual') !== 'automatic') return undefined;
	const names = new Collection(context, 'subscription');
	const path = toText(context.getNodeParameter('subscriptionPath', '')) ?? '';
	if (path === '') {
		throw operationError(context.getNode(), '"Subscription Path" is empty', {
			description:
				'Enter the path of the address at which your service takes subscriptions, such as /public/webhooks, or set "Registration" to "Manual".',
		});
	}
	return {
		path: `/${path.replace(/^\/+|\/+$/g, '')}`,
		urlField: names.text('urlField', 'url'),
		eventsField: names.text('eventsField', 'events'),
		idField: names.text('idField', 'id'),
		secretField: names.text('verifierField', ''),
	};
}

function toText(value: unknown): string | undefined {
	return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : undefined;
}
