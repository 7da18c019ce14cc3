import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { type Client, createClient, DEFAULT_TRANSPORT } from '../transport/client';
import { CREDENTIALS_TYPE, readWebhookSecret } from '../transport/credentials';
import { mayHaveBeenAccepted, operationError } from '../transport/errors';
import { isObject, parseJson } from '../transport/json';
import { path } from '../transport/url';
import { readPath, writePath } from './path';
import {
	readAllowedAddresses,
	readEvents,
	readSubscription,
	readVerification,
	type SubscriptionSettings,
} from './settings';

/** A subscription that this trigger made, as it is remembered in the workflow's static data. */
interface Subscription {
	/** The address of the trigger; that for tests is another one. */
	address: string;
	id: string;
	events: string[];
	/** Where the service takes subscriptions. */
	path: string;
	/** Whether it is for trying the trigger out in the editor. */
	test: boolean;
}

// n8n waits for the answer while it switches a workflow on or off.
const TRANSPORT = { ...DEFAULT_TRANSPORT, timeout: 15_000, maxRetries: 2 };

/**
 * Whether the service has this trigger's subscription, with the events that are wanted now. A trigger that is
 * registered by hand counts as subscribed.
 *
 * @throws {NodeOperationError} when calls could not be verified, and when something is not filled in.
 * @throws {NodeApiError} when the service does not tell: only its "not found" means that there is none.
 */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
	await checkVerification(context);
	const settings = readSubscription(context);
	if (!settings) return true;
	const client = await createClient(context);
	const subscriptions = new Subscriptions(context);
	const address = addressOf(context);
	let subscription = subscriptions.ofAddress(address);
	if (subscription && !(await isThere(context, client, subscription))) {
		subscriptions.forget(subscription);
		subscription = undefined;
	}
	if (!subscription) {
		subscription = await find(context, client, settings);
		if (subscription) subscriptions.remember(subscription);
	}
	return (
		subscription !== undefined &&
		subscription.path === settings.path &&
		sameEvents(subscription.events, readEvents(context))
	);
}

/**
 * Subscribes to the service's events, in place of what this trigger had subscribed to before.
 *
 * @throws {NodeApiError} when the service does not take the subscription. Then there is none.
 */
export async function subscribe(context: IHookFunctions): Promise<boolean> {
	const settings = readSubscription(context);
	if (!settings) return true;
	const client = await createClient(context);
	const subscriptions = new Subscriptions(context);
	for (const replaced of subscriptions.ofSameUse()) {
		await remove(client, replaced);
		subscriptions.forget(replaced);
	}
	const answer = await create(context, client, settings);
	const created =
		toSubscription(context, settings, answer) ?? (await find(context, client, settings));
	if (!created) {
		throw operationError(context.getNode(), 'The service did not say the ID of the subscription', {
			description: `Enter the name of the field with the ID in "Field Names". The subscription may have been made all the same: look for ${addressOf(context)} at the service and remove it there.`,
		});
	}
	subscriptions.remember({ ...created, events: readEvents(context) });
	return true;
}

/** Takes the subscription of this address away. One that is gone already is as good. */
export async function unsubscribe(context: IHookFunctions): Promise<boolean> {
	const subscriptions = new Subscriptions(context);
	const subscription = subscriptions.ofAddress(addressOf(context));
	if (!subscription) return true;
	await remove(await createClient(context), subscription);
	subscriptions.forget(subscription);
	return true;
}

/** What this trigger has subscribed to, as the workflow remembers it. */
class Subscriptions {
	private readonly data: IDataObject;
	private readonly test: boolean;

	constructor(context: IHookFunctions) {
		this.data = context.getWorkflowStaticData('node');
		this.test = isTest(context);
	}

	ofAddress(address: string): Subscription | undefined {
		return this.all.find((each) => each.address === address);
	}

	/** Those for production, or for tests: the address of n8n may have changed since they were made. */
	ofSameUse(): Subscription[] {
		return this.all.filter(({ test }) => test === this.test);
	}

	remember(subscription: Subscription): void {
		this.data.subscriptions = [...this.all, { ...subscription }];
	}

	forget({ id, path: at }: Subscription): void {
		this.data.subscriptions = this.all.filter((each) => each.id !== id || each.path !== at);
	}

	private get all(): Subscription[] {
		const { subscriptions } = this.data;
		return Array.isArray(subscriptions)
			? subscriptions.flatMap((each) => readRemembered(each))
			: [];
	}
}

function readRemembered(value: unknown): Subscription[] {
	if (!isObject(value) || !Array.isArray(value.events)) return [];
	const { address, id, path: at } = value;
	if (typeof address !== 'string' || typeof id !== 'string' || typeof at !== 'string') return [];
	return [{ address, id, path: at, events: value.events.map(String), test: value.test === true }];
}

async function create(
	context: IHookFunctions,
	client: Client,
	settings: SubscriptionSettings,
): Promise<unknown> {
	const events = readEvents(context);
	const secret = settings.secretField ? await readSecret(context) : undefined;
	const body: IDataObject = {
		...writePath(settings.urlField, addressOf(context)),
		...(events.length > 0 ? writePath(settings.eventsField, events) : {}),
		...(secret ? writePath(settings.secretField, secret) : {}),
	};
	try {
		const { text } = await client.send(
			{ method: 'POST', path: settings.path, body, notFound: NO_ENDPOINT },
			TRANSPORT,
		);
		return parseJson(text);
	} catch (error) {
		if (mayHaveBeenAccepted(error)) await cleanUp(context, client, settings);
		throw asError(context, error);
	}
}

/** Takes away what the service may have made although it did not say so. */
async function cleanUp(
	context: IHookFunctions,
	client: Client,
	settings: SubscriptionSettings,
): Promise<void> {
	try {
		const left = await find(context, client, settings);
		if (left) await remove(client, left);
	} catch (error) {
		context.logger.warn(
			`A subscription may be left over at the service for ${addressOf(context)}: ${asError(context, error).message}`,
		);
	}
}

async function isThere(
	context: IHookFunctions,
	client: Client,
	subscription: Subscription,
): Promise<boolean> {
	try {
		await client.send({ method: 'GET', path: pathOf(subscription) }, TRANSPORT);
		return true;
	} catch (error) {
		if (hasStatus(error, '404')) return false;
		// Some services cannot show a single subscription. And n8n must listen again after a restart, also
		// if the service cannot be asked just then.
		const isRestart = ['init', 'leadershipChange'].includes(context.getActivationMode());
		if (hasStatus(error, '405', '501') || isRestart) return true;
		throw asError(context, error);
	}
}

/** Looks for a subscription of this address in the service's list, if it has one. */
async function find(
	context: IHookFunctions,
	client: Client,
	settings: SubscriptionSettings,
): Promise<Subscription | undefined> {
	const address = addressOf(context);
	const entries = await list(context, client, settings);
	const own = entries.find((entry) => readPath(entry, settings.urlField) === address);
	return toSubscription(context, settings, own);
}

/** A subscription from the service's answer about it; undefined when that has no ID. */
function toSubscription(
	context: IHookFunctions,
	settings: SubscriptionSettings,
	answer: unknown,
): Subscription | undefined {
	const id = readPath(answer, settings.idField);
	if (typeof id !== 'string' && typeof id !== 'number') return undefined;
	const events: unknown = readPath(answer, settings.eventsField);
	return {
		address: addressOf(context),
		id: String(id),
		events: Array.isArray(events) ? events.map(String) : [],
		path: settings.path,
		test: isTest(context),
	};
}

async function list(
	context: IHookFunctions,
	client: Client,
	settings: SubscriptionSettings,
): Promise<unknown[]> {
	try {
		const answer = parseJson(
			(await client.send({ method: 'GET', path: settings.path }, TRANSPORT)).text,
		);
		const entries = isObject(answer) ? answer.data : answer;
		return Array.isArray(entries) ? entries : [];
	} catch (error) {
		if (hasStatus(error, '404', '405', '501')) return [];
		throw asError(context, error);
	}
}

async function remove(client: Client, subscription: Subscription): Promise<void> {
	await client.send(
		{ method: 'DELETE', path: pathOf(subscription), accepts: [404, 410] },
		TRANSPORT,
	);
}

const NO_ENDPOINT = {
	message: 'The service takes no subscriptions at this path',
	description:
		'Check "Subscription Path", or set "Registration" to "Manual" and enter the address of this trigger at the service by hand.',
};

/** Stops the activation when calls could not be verified or restricted as the panel says. */
async function checkVerification(context: IHookFunctions): Promise<void> {
	readAllowedAddresses(context);
	if (readVerification(context).kind === 'none' || (await readSecret(context)) !== '') return;
	throw operationError(context.getNode(), 'The credential has no webhook secret', {
		description:
			'Without it, everybody who knows the address could start this workflow. Open the credential, enter the secret that the service signs or sends its events with as "Webhook Secret", and activate the workflow again.',
	});
}

async function readSecret(context: IHookFunctions): Promise<string> {
	return readWebhookSecret(await context.getCredentials(CREDENTIALS_TYPE));
}

function addressOf(context: IHookFunctions): string {
	const address = context.getNodeWebhookUrl('default');
	if (address) return address;
	throw operationError(context.getNode(), 'n8n does not know the address of this trigger', {});
}

function pathOf(subscription: Subscription): string {
	return subscription.path + path`/${subscription.id}`;
}

function isTest(context: IHookFunctions): boolean {
	return context.getMode() === 'manual';
}

function sameEvents(some: string[], others: string[]): boolean {
	return JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());
}

function hasStatus(error: unknown, ...statuses: string[]): boolean {
	return error instanceof NodeApiError && statuses.includes(error.httpCode ?? '');
}

function asError(context: IHookFunctions, error: unknown): Error {
	return error instanceof Error ? error : operationError(context.getNode(), String(error), {});
}
