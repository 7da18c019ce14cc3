import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import { isObject, isTextOrNumber, parseJson } from '../../api/json';
import { type ApiRequest, RequestFailure, type ApiResponse } from '../../api/request';
import { buildUrl, path, resolveLink } from '../../api/url';
import { rememberDoubt, type Subscription } from './stored';
import { explainFailure } from '../../n8n/errors';
import { Problem } from '../../n8n/problem';
import type { RegistrationSettings } from './settings';

/** The subscription that a trigger needs. */
export interface WantedSubscription {
	/** The address of the trigger. */
	address: string;
	/** Sorted. Empty for all events. */
	events: string[];
	/** The webhook secret, which the service may be told. */
	secret: string;
	settings: RegistrationSettings;
}

/** Statuses that mean that the service cannot list subscriptions. */
const NOT_OFFERED = [404, 405, 501];
const CONFLICT = 409;

/**
 * Creates a subscription, with one request.
 *
 * @throws {RequestFailure} when the service rejects it.
 * @throws {Problem} when it may exist all the same, or its ID is unknown.
 */
export async function createSubscription(
	client: Client,
	wanted: WantedSubscription,
): Promise<Subscription> {
	const { address, events, secret, settings } = wanted;
	const { urlField, eventsField, secretField, idField } = settings;
	const request: ApiRequest = {
		method: 'POST',
		path: settings.path,
		repeat: 'ifRefused',
		body: {
			[urlField]: address,
			...(events.length > 0 && { [eventsField]: events }),
			...(secretField && secret && { [secretField]: secret }),
		},
		notFound: {
			message: `The service takes no subscriptions at ${settings.path}: check "Subscription Path"`,
			description:
				'Check "Subscription Path". If your service takes no subscriptions, set "Registration" to "Manual" and enter the address of this trigger at the service by hand.',
		},
	};
	const response = await client.send(request).catch((failure: unknown) => {
		throw afterFailedCreation(address, failure);
	});
	const id = readId(parseJson(response.text), idField);
	if (id !== undefined) return { id, address, events, path: settings.path };
	throw rememberDoubt(address, withoutId('The service made', wanted));
}

/** What to throw when a subscription was not created, or may have been. */
function afterFailedCreation(address: string, failure: unknown): unknown {
	if (!(failure instanceof RequestFailure)) return failure;
	const { outcome, status } = failure;
	if (outcome !== 'unknown' && status !== CONFLICT) return failure;
	const advice = `The service may have a subscription for ${address} all the same: remove it there if it exists, and publish the workflow again after two minutes.`;
	return rememberDoubt(address, problemOf(advice, failure));
}

/**
 * The subscriptions that the service lists for the address of this trigger; undefined if it cannot list them.
 *
 * @throws {RequestFailure} when the list cannot be read.
 * @throws {Problem} when an entry for the address has no ID.
 */
export async function listSubscriptions(
	client: Client,
	wanted: WantedSubscription,
): Promise<Subscription[] | undefined> {
	const { address, settings } = wanted;
	const request: ApiRequest = { method: 'GET', path: settings.path, repeat: 'idempotent' };
	const firstPage = await client.send({ ...request, accepts: NOT_OFFERED });
	if (firstPage.status >= 400) return undefined;
	const entries = await readAllPages(client, request, firstPage);
	// A list without addresses does not tell which triggers the subscriptions belong to.
	const tells = entries.some((entry) => typeof entry[settings.urlField] === 'string');
	if (entries.length > 0 && !tells) return undefined;
	return entries
		.filter((entry) => entry[settings.urlField] === address)
		.map((entry) => {
			const id = readId(entry, settings.idField);
			if (id === undefined) throw withoutId('The service lists', wanted);
			const events = [entry[settings.eventsField] ?? []].flat().map(String);
			return { id, address, events, path: settings.path };
		});
}

/** The entries of all pages of a list. A link that was followed before ends it, so that it cannot go on forever. */
async function readAllPages(
	client: Client,
	request: ApiRequest,
	firstPage: ApiResponse,
): Promise<IDataObject[]> {
	const base = buildUrl(client.account.baseUrl, request.path);
	const followed = new Set([base]);
	const entries: IDataObject[] = [];
	let page = firstPage;
	for (;;) {
		const answer = parseJson(page.text);
		const { data, links } = isObject(answer) ? answer : { data: answer, links: undefined };
		if (!Array.isArray(data)) throw client.unexpected(request, page);
		entries.push(...data.filter(isObject));
		const next = isObject(links) ? resolveLink(links.next, base) : undefined;
		if (!next || followed.has(next.href)) return entries;
		followed.add(next.href);
		page = await client.follow(next, request);
	}
}

/**
 * Removes a subscription at the service, where it may be gone already.
 *
 * @throws {Problem} when it may still be there; the message names it.
 */
export async function removeSubscription(
	client: Client,
	{ id, address, path: endpoint }: Subscription,
): Promise<void> {
	const request: ApiRequest = {
		method: 'DELETE',
		path: endpoint + path`/${id}`,
		endpoint,
		repeat: 'idempotent',
		accepts: [404, 410],
	};
	await client.send(request).catch((failure: unknown) => {
		throw problemOf(
			`The subscription "${id}" for ${address} was not removed. Try again later, or remove it at the service.`,
			failure,
		);
	});
}

/** The ID in an answer, which may be wrapped in `data`. */
function readId(answer: unknown, idField: string): string | undefined {
	if (!isObject(answer)) return undefined;
	const id = answer[idField] ?? (isObject(answer.data) ? answer.data[idField] : undefined);
	return isTextOrNumber(id) ? String(id) : undefined;
}

function withoutId(what: string, { address, settings: { idField } }: WantedSubscription): Problem {
	return problemOf(
		`${what} a subscription for ${address} that has no "${idField}": remove it there, enter the right name as "ID Field" in "Registration Details", and publish the workflow again after two minutes.`,
	);
}

/**
 * Explains a failed request, if there is one, and says what to do. Both the message and the description do so: when an
 * activation fails, n8n 2 shows only the message of an error, and n8n 1 its description.
 */
function problemOf(advice: string, failure?: unknown): Problem {
	const { message, description } = explainFailure(failure) ?? {};
	if (message === undefined) return new Problem(advice, advice);
	return new Problem(`${message}. ${advice}`, `${description} ${advice}`);
}
