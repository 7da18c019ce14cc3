import { type Client, DEFAULT_TRANSPORT } from '../../api/client';
import { isObject, parseJson } from '../../api/json';
import type { Response } from '../../api/outcome';
import { addressOf, type Page, readPage } from '../../api/page';
import { Pages } from '../../api/pages';
import type { ApiRequest } from '../../api/request';
import { path } from '../../api/url';
import type { Subscription } from '../../memory/subscriptions';
import { Problem } from '../../nodeError';
import { readPath, withPath } from '../path';
import type { RegistrationSettings } from './settings';

/** What the service says of a subscription. */
export type Entry = Pick<Subscription, 'id' | 'events'>;

/** Where one subscription is. */
type Place = Pick<Subscription, 'id' | 'path'>;

// n8n tries to activate a workflow several times, and gives up after two minutes in all.
const PATIENT = { ...DEFAULT_TRANSPORT, timeout: 8_000, maxRetries: 1 };
/** For what must not hold up n8n. */
const QUICK = { ...DEFAULT_TRANSPORT, timeout: 5_000, maxRetries: 0 };

/** Statuses of a service that does not offer a request which it need not offer. */
const NOT_OFFERED = [404, 405, 501];
/** Ends a list that goes on for ever. */
const MAX_LISTED = 10_000;

/** The subscriptions at the service. All methods throw a `RequestFailure` when the service does not tell. */
export class SubscriptionEndpoint {
	private readonly client: Client;
	private readonly secret: string;

	/** @param secret the webhook secret: the service may be told it, and no error may show it */
	constructor(client: Client, secret: string, transport = PATIENT) {
		this.client = client.with(transport);
		this.secret = secret;
	}

	/** The same endpoint, asked once and not waited for for long. */
	get quickly(): SubscriptionEndpoint {
		return new SubscriptionEndpoint(this.client, this.secret, QUICK);
	}

	/**
	 * Asks for a subscription.
	 *
	 * @returns undefined when the service does not say its ID.
	 */
	async create(
		settings: RegistrationSettings,
		{ address, events }: Pick<Subscription, 'address' | 'events'>,
	): Promise<Entry | undefined> {
		let body = withPath({}, settings.urlField, address);
		if (events.length > 0) body = withPath(body, settings.eventsField, events);
		if (settings.secretField && this.secret) {
			body = withPath(body, settings.secretField, this.secret);
		}
		const notFound = noEndpoint(settings);
		const { text } = await this.send({ method: 'POST', path: settings.path, body, notFound });
		return toEntry(parseJson(text), settings);
	}

	/**
	 * Looks for the subscription of an address in the service's list, if it has one.
	 *
	 * @throws {Problem} when it is there but has no ID.
	 */
	async find(settings: RegistrationSettings, address: string): Promise<Entry | undefined> {
		let listed = 0;
		const pages = new Pages({
			fetch: async (link) => await this.fetchPage(settings.path, link),
			isOwn: (link) => this.client.isOwn(link),
			prefetch: () => 1,
			demand: () => MAX_LISTED - listed,
		});
		for await (const page of pages) {
			listed += page.length;
			const { entry } =
				page.find((each) => readPath(each.entry, settings.urlField) === address) ?? {};
			if (entry) return toEntry(entry, settings) ?? fail(noId(address));
		}
		return pages.missing && fail(pages.missing.cause);
	}

	/** Whether a subscription is still there. A service that cannot show a single one is trusted. */
	async isThere(place: Place): Promise<boolean> {
		const request = { method: 'GET', path: pathOf(place), accepts: NOT_OFFERED } as const;
		return (await this.send(request)).status !== 404;
	}

	/** Takes a subscription away. One that is gone already is as good. */
	async remove(place: Place): Promise<void> {
		await this.send({ method: 'DELETE', path: pathOf(place), accepts: [404, 410] });
	}

	/** A page of the list: a plain list, or the envelope of the service's other lists; empty when there is no list. */
	private async fetchPage(endpoint: string, link: URL | number | undefined): Promise<Page> {
		const request: ApiRequest = { method: 'GET', path: endpoint, secrets: [this.secret] };
		const response =
			link instanceof URL
				? await this.client.follow(link, request)
				: await this.client.send({ ...request, accepts: NOT_OFFERED });
		const answer = response.status < 400 ? parseJson(response.text) : [];
		const list = isObject(answer) ? answer.data : answer;
		const page =
			Array.isArray(list) &&
			readPage(
				// In an object each, since `id` may be something else here than what tells items of a list apart.
				{ ...(isObject(answer) && answer), data: list.map((entry) => ({ entry })) },
				response,
				addressOf(this.client, request),
			);
		if (!page) throw this.client.unexpected(request, response);
		return page;
	}

	private async send(request: ApiRequest): Promise<Response> {
		return await this.client.send({ ...request, secrets: [this.secret] });
	}
}

// When an activation fails, n8n 2 shows the message of an error alone, and n8n 1 its description.
const noEndpoint = (settings: RegistrationSettings) => ({
	message: `The service takes no subscriptions at ${settings.path}: check "Subscription Path"`,
	description:
		'Check "Subscription Path". If your service takes no subscriptions, set "Registration" to "Manual" and enter the address of this trigger at the service by hand.',
});

/** A subscription without an ID: it could not be found again, nor removed. */
export function noId(address: string): Problem {
	return new Problem(
		'The service did not say the ID of the subscription: check "ID Field"',
		`Enter the name of the field with the ID in "Field Names". The subscription may have been made all the same: look for ${address} at the service and remove it there.`,
	);
}

/** What an answer says of a subscription, which may be wrapped in `data`. */
function toEntry(answer: unknown, settings: RegistrationSettings): Entry | undefined {
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

/** Throws what was caught: n8n errors are made of it at the edge. */
export function fail(error: unknown): never {
	throw error;
}
