import type { IDataObject } from 'n8n-workflow';
import { type Client, DEFAULT_TRANSPORT } from '../../api/client';
import { isObject, isTextOrNumber, parseJson } from '../../api/json';
import { isRateLimited, type Response } from '../../api/outcome';
import { type Page, readPage } from '../../api/page';
import { Pages } from '../../api/pages';
import type { ApiRequest } from '../../api/request';
import { RequestFailure } from '../../api/requestFailure';
import type { Redactor } from '../../api/secrets';
import { buildUrl, path } from '../../api/url';
import type { Subscription, SubscriptionRequest } from '../../memory/subscriptions';
import { readPath, withPath } from '../path';
import { busy, noEndpoint } from './problems';
import type { RegistrationSettings } from './settings';

type Names = Pick<RegistrationSettings, 'urlField' | 'eventsField' | 'idField'>;

type Entry = Pick<Subscription, 'id' | 'events'>;

/** What the service answers to a request for a subscription. */
export interface Answer {
	/** Undefined when the ID is not where it is looked for. */
	entry?: Entry;
	/** Everything that could be the ID, by its path. */
	values: Record<string, string>;
}

/** What the service's list says of some addresses. */
export interface Listing {
	/** Without an ID where it is not where it is looked for. */
	found: Array<Pick<Subscription, 'address'> & Partial<Entry>>;
	/** Whether what is not in it is not there: it was read to its end, and shows the addresses of others. */
	isConclusive: boolean;
}

type Place = Pick<Subscription, 'id' | 'path'>;

/** How long a request may take, repeats and pauses that the service asks for included. */
interface Patience {
	timeout: number;
	maxRetries: number;
	total: number;
}

// n8n 2 tries an activation five times, and gives up after 84 seconds in all.
const PATIENT: Patience = { timeout: 8_000, maxRetries: 1, total: 10_000 };
/** For what must not hold up n8n. */
const QUICK: Patience = { timeout: 5_000, maxRetries: 0, total: 5_000 };

/** Statuses of a service that does not offer a request which it need not offer. */
const NOT_OFFERED = [404, 405, 501];
/** Ends a list that goes on for ever. */
const MAX_LISTED = 10_000;
/** Limits of what is kept of an answer. */
const MAX_VALUES = 50;
const MAX_VALUE_LENGTH = 200;
const MAX_DEPTH = 4;
/** Names of fields that may hold a secret of the service. */
const SECRET_NAME = /secret|token|passw|sign|credential|key|hmac|whsec|\bauth/i;

/** The subscriptions at the service. All methods throw a `RequestFailure` when the service does not tell. */
export class SubscriptionEndpoint {
	private readonly client: Client;
	private readonly secret: string;
	private readonly patience: Patience;

	/** @param secret the webhook secret, which the service may be told */
	constructor(client: Client, secret: string, patience = PATIENT) {
		this.client = client.with({ ...DEFAULT_TRANSPORT, ...patience });
		this.secret = secret;
		this.patience = patience;
	}

	/** The same endpoint, asked once and not waited for for long. */
	get quickly(): SubscriptionEndpoint {
		return new SubscriptionEndpoint(this.client, this.secret, QUICK);
	}

	get redactor(): Redactor {
		return this.client.redactor;
	}

	async create(
		settings: RegistrationSettings,
		{ address, events }: Pick<SubscriptionRequest, 'address' | 'events'>,
	): Promise<Answer> {
		let body = withPath({}, settings.urlField, address);
		if (events.length > 0) body = withPath(body, settings.eventsField, events);
		if (settings.secretField && this.secret) {
			body = withPath(body, settings.secretField, this.secret);
		}
		const notFound = noEndpoint(settings);
		const { text } = await this.send({ method: 'POST', path: settings.path, body, notFound });
		const answer = parseJson(text);
		return { entry: toEntry(answer, settings), values: this.valuesOf(answer) };
	}

	/** Looks for the subscriptions of some addresses in the service's list, if it has one. */
	async list(settings: Names, endpoint: string, addresses: readonly string[]): Promise<Listing> {
		return await this.inTime(async (client) => {
			const found: Listing['found'] = [];
			let listed = 0;
			let shown = 0;
			const pages = new Pages({
				fetch: async (link) => await this.fetchPage(client, endpoint, link),
				prefetch: () => 1,
				demand: () => MAX_LISTED - listed,
			});
			for await (const page of pages) {
				listed += page.length;
				for (const item of page) {
					const address = readPath(item.entry, settings.urlField);
					if (typeof address === 'string') shown++;
					if (typeof address !== 'string' || !addresses.includes(address)) continue;
					found.push({ ...toEntry(item.entry, settings), address });
				}
			}
			if (pages.missing) throw pages.missing.cause;
			return { found, isConclusive: shown > 0 && shown === listed && listed < MAX_LISTED };
		});
	}

	/** Whether a subscription is there; undefined when the service cannot show a single one. */
	async isThere(place: Place): Promise<boolean | undefined> {
		const request = { method: 'GET', path: pathOf(place), accepts: NOT_OFFERED } as const;
		const { status } = await this.send(request);
		return status < 400 ? true : status === 404 ? false : undefined;
	}

	/**
	 * Takes a subscription away.
	 *
	 * @returns false when the service does not find it.
	 */
	async remove(place: Place): Promise<boolean> {
		const request = { method: 'DELETE', path: pathOf(place), accepts: [404, 410] } as const;
		return (await this.send(request)).status !== 404;
	}

	/** A page of the list: a plain list, or the envelope of the service's other lists; empty when there is no list. */
	private async fetchPage(
		client: Client,
		endpoint: string,
		link: URL | number | undefined,
	): Promise<Page> {
		const request: ApiRequest = { method: 'GET', path: endpoint };
		const response =
			link instanceof URL
				? await client.follow(link, request)
				: await client.send({ ...request, accepts: NOT_OFFERED });
		const answer = response.status < 400 ? parseJson(response.text) : [];
		const list = isObject(answer) ? answer.data : answer;
		const page =
			Array.isArray(list) &&
			readPage(
				// In an object each, since `id` may be something else here than what tells items of a list apart.
				{ ...(isObject(answer) && answer), data: list.map((entry) => ({ entry })) },
				buildUrl(client.account.baseUrl, endpoint),
			);
		if (!page) throw client.unexpected(request, response);
		return { ...page, size: response.text.length };
	}

	private async send(request: ApiRequest): Promise<Response> {
		return await this.inTime(async (client) => await client.send(request));
	}

	/** Does work with a client that neither waits nor sends beyond the time that there is. */
	private async inTime<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
		try {
			return await work(this.client.within(this.patience.total));
		} catch (failure) {
			throw isHeldBack(failure) ? busy() : failure;
		}
	}

	private valuesOf(answer: unknown): Record<string, string> {
		const { redactor } = this;
		const isPublic = ([name, value]: [string, string]) =>
			!SECRET_NAME.test(name) &&
			name.length + value.length <= MAX_VALUE_LENGTH &&
			!redactor.isIn(name) &&
			!redactor.isIn(value);
		return Object.fromEntries(leavesOf(answer).filter(isPublic).slice(0, MAX_VALUES));
	}
}

/** What an answer says of a subscription, which may be wrapped in `data`. */
function toEntry(answer: unknown, settings: Names): Entry | undefined {
	const places = [answer, isObject(answer) ? answer.data : undefined];
	const place = places.find((each) => isTextOrNumber(readPath(each, settings.idField)));
	if (place === undefined) return undefined;
	const events = readPath(place, settings.eventsField);
	return {
		id: String(readPath(place, settings.idField)),
		events: Array.isArray(events) ? events.map(String) : [],
	};
}

/** The texts and numbers in an answer, by their paths. */
function leavesOf(value: unknown, name = '', depth = 0): Array<[path: string, value: string]> {
	if (isTextOrNumber(value)) return name === '' ? [] : [[name, String(value)]];
	if (!isObject(value) || depth > MAX_DEPTH) return [];
	const inside: IDataObject = value;
	return Object.entries(inside).flatMap(([key, each]) =>
		leavesOf(each, name === '' ? key : `${name}.${key}`, depth + 1),
	);
}

/** Whether the service has asked for a longer pause than there was time for. */
function isHeldBack(failure: unknown): boolean {
	if (!(failure instanceof RequestFailure)) return false;
	const { outcome } = failure;
	return outcome.kind === 'failure' ? outcome.reason === 'heldBack' : isRateLimited(outcome);
}

function pathOf(place: Place): string {
	return place.path + path`/${place.id}`;
}
