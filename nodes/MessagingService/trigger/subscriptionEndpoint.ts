import type { IDataObject } from 'n8n-workflow';
import {
	type ApiRequest,
	type Client,
	DEFAULT_TRANSPORT,
	type TransportOptions,
} from '../transport/client';
import type { Response } from '../transport/exchange';
import { isObject, parseJson } from '../transport/json';
import { path, resolveLink } from '../transport/url';
import { readPath, withPath } from './path';
import type { SubscriptionSettings } from './settings';
import type { Subscription } from './subscriptionMemory';

/** What a trigger wants to get. */
export interface Wish {
	address: string;
	/** Names of events; all when there are none. */
	events: string[];
	/** What the service is to prove its calls with; undefined when it is not told. */
	secret?: string;
}

/** What the service says of a subscription. */
export type Entry = Pick<Subscription, 'id' | 'events'>;

/** Where one subscription is. */
type Place = Pick<Subscription, 'id' | 'path'>;

// n8n tries to activate a workflow several times, and gives up after two minutes in all.
const TRANSPORTS = {
	patiently: { ...DEFAULT_TRANSPORT, timeout: 8_000, maxRetries: 1 },
	quickly: { ...DEFAULT_TRANSPORT, timeout: 5_000, maxRetries: 0 },
};

/** How long the service is waited for; quickly means once, and not for long. */
type Pace = keyof typeof TRANSPORTS;

// Ends a list that goes on for ever.
const MOST_PAGES = 200;

/**
 * Asks for a subscription.
 *
 * @returns undefined when the service does not say its ID.
 */
export async function create(
	client: Client,
	settings: SubscriptionSettings,
	{ address, events, secret }: Wish,
): Promise<Entry | undefined> {
	let body = withPath({}, settings.urlField, address);
	if (events.length > 0) body = withPath(body, settings.eventsField, events);
	if (secret) body = withPath(body, settings.secretField, secret);
	const request: ApiRequest = {
		method: 'POST',
		path: settings.path,
		body,
		notFound: noEndpoint(settings),
	};
	return toEntry(parseJson((await client.send(request, TRANSPORTS.patiently)).text), settings);
}

/**
 * Looks for the subscription of an address in the service's list, if it has one.
 *
 * @throws {NodeApiError} when the list cannot be read: then nobody knows whether there is one.
 */
export async function find(
	client: Client,
	settings: SubscriptionSettings,
	address: string,
	pace: Pace = 'patiently',
): Promise<Entry | undefined> {
	for await (const entry of list(client, settings.path, TRANSPORTS[pace])) {
		if (readPath(entry, settings.urlField) !== address) continue;
		return toEntry(entry, settings) ?? fail(noId(client, address));
	}
	return undefined;
}

/**
 * Whether a subscription is still there. A service that cannot show a single one is trusted.
 *
 * @throws {NodeApiError} when the service does not tell.
 */
export async function isThere(
	client: Client,
	place: Place,
	pace: Pace = 'patiently',
): Promise<boolean> {
	const request: ApiRequest = { method: 'GET', path: pathOf(place), accepts: [404, 405, 501] };
	const { status } = await client.send(request, TRANSPORTS[pace]);
	return status !== 404;
}

/** Takes a subscription away. One that is gone already is as good. */
export async function remove(client: Client, place: Place): Promise<void> {
	const request: ApiRequest = { method: 'DELETE', path: pathOf(place), accepts: [404, 410] };
	await client.send(request, TRANSPORTS.patiently);
}

// When an activation fails, n8n 2 shows the message of an error alone, and n8n 1 its description.
const noEndpoint = (settings: SubscriptionSettings) => ({
	message: `The service takes no subscriptions at ${settings.path}: check "Subscription Path"`,
	description:
		'Check "Subscription Path". If your service takes no subscriptions, set "Registration" to "Manual" and enter the address of this trigger at the service by hand.',
});

/** The error for a subscription without an ID: it could not be found again, nor removed. */
export function noId(client: Client, address: string): Error {
	return client.problem(
		'The service did not say the ID of the subscription: check "ID Field"',
		`Enter the name of the field with the ID in "Field Names". The subscription may have been made all the same: look for ${address} at the service and remove it there.`,
	);
}

/** The subscriptions that the service lists, page by page; none when it has no list. */
async function* list(
	client: Client,
	endpoint: string,
	transport: TransportOptions,
): AsyncGenerator<IDataObject> {
	const request: ApiRequest = { method: 'GET', path: endpoint, accepts: [404, 405, 501] };
	let response = await client.send(request, transport);
	if (response.status >= 400) return;
	const seen = new Set<string>();
	for (;;) {
		const page = readPage(response, client.account.baseUrl.href + endpoint);
		if (!page) throw client.unexpected(request, response);
		yield* page.entries;
		if (!page.next || seen.has(page.next.href) || seen.size >= MOST_PAGES) return;
		seen.add(page.next.href);
		response = await client.follow(page.next, { ...request, accepts: [] }, transport);
	}
}

/** A page of the list: a plain list, or the envelope of the service's other lists. */
function readPage(
	{ text }: Response,
	address: string,
): { entries: IDataObject[]; next?: URL } | undefined {
	const answer = parseJson(text);
	const entries = isObject(answer) ? answer.data : answer;
	if (!Array.isArray(entries)) return undefined;
	const links = isObject(answer) && isObject(answer.links) ? answer.links : {};
	return { entries: entries.filter(isObject), next: resolveLink(links.next, address) };
}

/** What an answer says of a subscription, which may be wrapped in `data`. */
function toEntry(answer: unknown, settings: SubscriptionSettings): Entry | undefined {
	const places = [answer, isObject(answer) ? answer.data : undefined];
	const isId = (id: unknown) => typeof id === 'number' || (typeof id === 'string' && id !== '');
	const place = places.find((each) => isId(readPath(each, settings.idField)));
	if (place === undefined) return undefined;
	const events = readPath(place, settings.eventsField);
	return {
		id: String(readPath(place, settings.idField)),
		events: Array.isArray(events) ? events.map(String) : [],
	};
}

function pathOf(place: Place): string {
	return place.path + path`/${place.id}`;
}

function fail(error: Error): never {
	throw error;
}
