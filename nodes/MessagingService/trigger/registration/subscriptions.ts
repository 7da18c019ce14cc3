import type { IDataObject } from 'n8n-workflow';
import { type Client, DEFAULT_TRANSPORT } from '../../api/client';
import { isObject, isTextOrNumber, parseJson } from '../../api/json';
import { type ApiRequest, RequestFailure } from '../../api/request';
import { buildUrl, path, resolveLink } from '../../api/url';
import type { Subscription, SubscriptionMemory } from '../../memory/subscriptions';
import { explainFailure, Problem } from '../../nodeError';
import { readPath, withPath } from '../fieldPath';
import type { RegistrationSettings } from './settings';

/** What a trigger asks the service for. */
export interface Wanted {
	/** The address of the trigger. */
	address: string;
	/** All when there are none. */
	events: string[];
	/** The webhook secret, which the service may be told. */
	secret: string;
	settings: RegistrationSettings;
}

// n8n 2 tries an activation five times, and gives up after 84 seconds in all.
const TRANSPORT = { ...DEFAULT_TRANSPORT, timeout: 8_000, maxRetries: 1 };
/** Milliseconds for the list, for each removal, and for the request for a subscription. */
const MAX_TIME = 10_000;
/** Statuses of a service that has no list. */
const NOT_OFFERED = [404, 405, 501];
/** Statuses of something before the service, which may still be at work when they come. */
const GATEWAY_STATUSES = [408, 499, 502, 504];
/** Ends a list that goes on for ever. */
const MAX_PAGES = 100;

/**
 * The subscriptions of one trigger at the service. There is never a second one for the same address: one that is
 * remembered or listed is kept or taken away, and none is made while an earlier request may still have made one.
 */
export class Subscriptions {
	private readonly client: Client;
	private readonly memory: SubscriptionMemory;
	private readonly wanted: Wanted;

	constructor(client: Client, memory: SubscriptionMemory, wanted: Wanted) {
		this.client = client;
		this.memory = memory;
		this.wanted = wanted;
	}

	/**
	 * Sees to it that the service has the subscription as it is wanted now, and no other one for the same address.
	 *
	 * @throws {RequestFailure} when the service does not tell what it has and nothing is remembered, or does not take
	 * the subscription.
	 * @throws {Problem} when an earlier one was not taken away, or nobody knows whether there is one.
	 */
	async ensure(): Promise<void> {
		const { subscription } = this.memory;
		const known = subscription && this.isWanted(subscription) ? subscription : undefined;
		const listed = await this.list().catch((failure: unknown) => {
			// n8n has to listen again after a restart, also if the service cannot be asked just then.
			if (!known) throw failure;
			return undefined;
		});
		const isListed = ({ id }: Subscription) => !listed || listed.some((each) => each.id === id);
		const kept = known && isListed(known) ? known : listed?.find((each) => this.isWanted(each));
		for (const each of [...(subscription ? [subscription] : []), ...(listed ?? [])]) {
			if (each.id === kept?.id) continue;
			await takeAway(this.client, each);
			if (each === subscription) this.memory.forget();
		}
		// Also what is known: somebody may have written over the static data.
		this.memory.remember(kept ?? (await this.make(listed !== undefined)));
	}

	/** @param isListed whether the service has told which subscriptions it has */
	private async make(isListed: boolean): Promise<Subscription> {
		const { address, events, settings } = this.wanted;
		const { doubt } = this.memory;
		if (doubt && !(doubt.isOver && isListed)) throw mayBeLeft(address);
		const id = readId(await this.create(), settings.idField);
		if (id === undefined) {
			this.memory.rememberDoubt(false);
			throw withoutId('The service made', this.wanted);
		}
		return { id, address, events, path: settings.path };
	}

	private async create(): Promise<unknown> {
		const { address, events, secret, settings } = this.wanted;
		let body = withPath({}, settings.urlField, address);
		if (events.length > 0) body = withPath(body, settings.eventsField, events);
		if (settings.secretField && secret) body = withPath(body, settings.secretField, secret);
		const notFound = {
			message: `The service takes no subscriptions at ${settings.path}: check "Subscription Path"`,
			description:
				'Check "Subscription Path". If your service takes no subscriptions, set "Registration" to "Manual" and enter the address of this trigger at the service by hand.',
		};
		const { path: endpoint } = settings;
		const request = {
			method: 'POST',
			path: endpoint,
			repeat: 'ifRefused',
			body,
			notFound,
		} as const;
		try {
			return parseJson((await inTime(this.client).send(request)).text);
		} catch (failure) {
			throw this.explainFailedCreation(failure);
		}
	}

	/** What to throw when a subscription was not made, or nobody knows whether it was. */
	private explainFailedCreation(failure: unknown): unknown {
		if (!(failure instanceof RequestFailure)) return failure;
		const { status, outcome } = failure;
		if (status === 409) return alreadyThere(this.wanted.address, failure);
		if (outcome !== 'unknown') return failure;
		this.memory.rememberDoubt(status !== undefined && !GATEWAY_STATUSES.includes(status));
		return mayBeLeft(this.wanted.address, failure);
	}

	/**
	 * The subscriptions that the service lists for the address of this trigger; undefined when it does not tell, or its
	 * list does not end.
	 */
	private async list(): Promise<Subscription[] | undefined> {
		const { address, settings } = this.wanted;
		const request: ApiRequest = { method: 'GET', path: settings.path, repeat: 'idempotent' };
		const client = inTime(this.client);
		const base = buildUrl(client.account.baseUrl, settings.path);
		let response = await client.send({ ...request, accepts: NOT_OFFERED });
		if (response.status >= 400) return undefined;
		const entries: IDataObject[] = [];
		for (let pages = 1; ; pages++) {
			const answer = parseJson(response.text);
			const page = isObject(answer) ? answer.data : answer;
			if (!Array.isArray(page)) throw client.unexpected(request, response);
			entries.push(...page.filter(isObject));
			const next = resolveLink(readPath(answer, 'links.next'), base);
			if (!next) break;
			if (pages === MAX_PAGES) return undefined;
			response = await client.follow(next, request);
		}
		const addressOf = (entry: IDataObject) => readPath(entry, settings.urlField);
		if (entries.length > 0 && !entries.some((entry) => typeof addressOf(entry) === 'string')) {
			return undefined;
		}
		return entries
			.filter((entry) => addressOf(entry) === address)
			.map((entry) => {
				const id = readId(entry, settings.idField);
				if (id === undefined) throw withoutId('The service lists', this.wanted);
				const events = readPath(entry, settings.eventsField);
				const names = Array.isArray(events) ? events.map(String) : [];
				return { id, address, events: names, path: settings.path };
			});
	}

	private isWanted({ address, events, path: endpoint }: Subscription): boolean {
		const { wanted } = this;
		return (
			address === wanted.address &&
			endpoint === wanted.settings.path &&
			[...events].sort().join('\n') === [...wanted.events].sort().join('\n')
		);
	}
}

/**
 * Takes a subscription away at the service. One that is not found there is gone.
 *
 * @throws {Problem} when it may still be there. It names it.
 */
export async function takeAway(
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
	try {
		await inTime(client).send(request);
	} catch (failure) {
		throw notRemoved(`The subscription "${id}" for ${address} was not removed`, failure);
	}
}

function inTime(client: Client): Client {
	return client.with(TRANSPORT).within(MAX_TIME);
}

/** The ID in an answer, which may be wrapped in `data`. */
function readId(answer: unknown, idField: string): string | undefined {
	const id = [idField, `data.${idField}`]
		.map((field) => readPath(answer, field))
		.find(isTextOrNumber);
	return id === undefined ? undefined : String(id);
}

// When an activation fails, n8n 2 shows the message of an error alone, and n8n 1 its description.

function notRemoved(what: string, failure: unknown): Problem {
	const { message, description } = wordsOf(failure);
	return new Problem(
		`${message}. ${what}`,
		`${description} ${what}. Try again later, or remove it at the service.`,
	);
}

function mayBeLeft(address: string, failure?: RequestFailure): Problem {
	const cause = failure ? wordsOf(failure) : { message: '', description: '' };
	const what = `The service may have a subscription for ${address} all the same`;
	const next = 'remove it there if it exists, and publish the workflow again after two minutes';
	return new Problem(
		`${cause.message}${failure ? '. ' : ''}${what}: ${next}`,
		`${cause.description} ${what}. A second one would start the workflow twice for each event. Look at the service: ${next}.`,
	);
}

function withoutId(
	what: string,
	{ address, settings: { idField } }: Pick<Wanted, 'address' | 'settings'>,
): Problem {
	const found = `${what} a subscription for ${address} that has no "${idField}"`;
	return new Problem(
		`${found}: remove it there, and check "ID Field"`,
		`${found}. Remove it there, enter the name of the field with the ID as "ID Field" in "Registration Details", and publish the workflow again after two minutes.`,
	);
}

function alreadyThere(address: string, failure: RequestFailure): Problem {
	const found = `The service has a subscription for ${address} already, which this trigger cannot find`;
	return new Problem(
		`${found}: remove it there, and publish the workflow again`,
		`${wordsOf(failure).description} ${found}. Remove it there, and publish the workflow again.`,
	);
}

function wordsOf(failure: unknown) {
	return explainFailure(failure) ?? { message: String(failure), description: '' };
}
