import { type IHookFunctions, NodeApiError } from 'n8n-workflow';
import { type Client, createClient } from '../transport/client';
import { CREDENTIALS_TYPE, readWebhookSecret } from '../transport/credentials';
import { mayHaveBeenAccepted, operationError, redact } from '../transport/errors';
import {
	checkSignature,
	readAllowedAddresses,
	readEvents,
	readSubscription,
	readVerification,
	type SubscriptionSettings,
} from './settings';
import { create, type Entry, find, isThere, noId, remove, type Wish } from './subscriptionEndpoint';
import { type Subscription, SubscriptionMemory } from './subscriptionMemory';
import { problemOf } from './verification';

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
	const memory = new SubscriptionMemory(context);
	const subscription =
		(await recall(context, client, memory)) ?? (await discover(context, client, settings, memory));
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
	const memory = new SubscriptionMemory(context);
	for (const replaced of memory.ofUse(useOf(context))) {
		await remove(client, replaced);
		memory.forget(replaced);
	}
	const wish = await readWish(context, settings);
	const created =
		(await createOrCleanUp(context, client, settings, wish)) ??
		(await findLeftOver(context, client, settings));
	if (!created) throw noId(client, wish.address);
	memory.remember(describe(context, settings, { ...created, events: wish.events }));
	return true;
}

/** Takes the subscription of this trigger away. One that is gone already is as good. */
export async function unsubscribe(context: IHookFunctions): Promise<boolean> {
	const memory = new SubscriptionMemory(context);
	const takeAway = async (subscription: Subscription) => {
		await remove(await createClient(context), subscription);
		memory.forget(subscription);
	};
	const current = memory.ofAddress(addressOf(context));
	if (current) await takeAway(current);
	// The address of n8n may have changed meanwhile. While a trigger is tried out, its workflow is not active.
	const earlier = context.getWorkflow().active ? memory.ofUse({ test: false }) : [];
	for (const subscription of earlier) await takeAway(subscription);
	return true;
}

/** The subscription that is remembered, unless the service says that it is gone. */
async function recall(
	context: IHookFunctions,
	client: Client,
	memory: SubscriptionMemory,
): Promise<Subscription | undefined> {
	const subscription = memory.ofAddress(addressOf(context));
	if (!subscription) return undefined;
	const isKept = await isStillThere(context, client, subscription);
	if (isKept) memory.keep(subscription.address);
	else memory.forget(subscription);
	return isKept ? subscription : undefined;
}

async function isStillThere(
	context: IHookFunctions,
	client: Client,
	subscription: Subscription,
): Promise<boolean> {
	const isRestart = ['init', 'leadershipChange'].includes(context.getActivationMode());
	try {
		return await isThere(client, subscription, isRestart ? 'quickly' : 'patiently');
	} catch (error) {
		// n8n must listen again after a restart, also if the service cannot be asked just then.
		if (isRestart) return true;
		throw asError(context, error);
	}
}

/** The subscription of this address that the service knows of although this workflow does not. */
async function discover(
	context: IHookFunctions,
	client: Client,
	settings: SubscriptionSettings,
	memory: SubscriptionMemory,
): Promise<Subscription | undefined> {
	const entry = await find(client, settings, addressOf(context));
	const subscription = entry && describe(context, settings, entry);
	if (subscription) memory.remember(subscription);
	return subscription;
}

async function readWish(context: IHookFunctions, settings: SubscriptionSettings): Promise<Wish> {
	return {
		address: addressOf(context),
		events: readEvents(context),
		secret: settings.secretField ? await readSecret(context) : undefined,
	};
}

async function createOrCleanUp(
	context: IHookFunctions,
	client: Client,
	settings: SubscriptionSettings,
	wish: Wish,
): Promise<Entry | undefined> {
	try {
		return await create(client, settings, wish);
	} catch (error) {
		if (mayHaveBeenAccepted(error)) await cleanUp(context, client, settings);
		throw withoutSecret(asError(context, error), wish.secret);
	}
}

/** Takes away what the service may have made although it did not say so. */
async function cleanUp(
	context: IHookFunctions,
	client: Client,
	settings: SubscriptionSettings,
): Promise<void> {
	const left = await findLeftOver(context, client, settings);
	if (!left) return;
	try {
		await remove(client, { path: settings.path, id: left.id });
	} catch (error) {
		warnOfLeftOver(context, error);
	}
}

/** What the service has for this address, if it can be found out just now. */
async function findLeftOver(
	context: IHookFunctions,
	client: Client,
	settings: SubscriptionSettings,
): Promise<Entry | undefined> {
	try {
		return await find(client, settings, addressOf(context), 'quickly');
	} catch (error) {
		warnOfLeftOver(context, error);
		return undefined;
	}
}

function warnOfLeftOver(context: IHookFunctions, error: unknown): void {
	context.logger.warn(
		`A subscription may be left over at the service for ${addressOf(context)}: ${asError(context, error).message}`,
	);
}

/** Stops the activation when calls could not be verified or restricted as the panel says. */
async function checkVerification(context: IHookFunctions): Promise<void> {
	readAllowedAddresses(context);
	const verification = readVerification(context);
	checkSignature(context, verification);
	if (verification.kind === 'none') return;
	const secret = await readSecret(context);
	if (secret === '') {
		throw operationError(
			context.getNode(),
			'The credential has no webhook secret: enter it there, then activate the workflow again',
			{
				description:
					'Without it, everybody who knows the address could start this workflow. It is the secret that the service signs or sends its events with: enter it as "Webhook Secret".',
			},
		);
	}
	if (problemOf(verification, secret) !== undefined) {
		throw operationError(
			context.getNode(),
			'The webhook secret is not written as "Secret Encoding" says',
			{
				description:
					'The webhook secret of the credential is to be hexadecimal or Base64, and it is not. Choose "As It Is", or check the secret in the credential.',
			},
		);
	}
}

async function readSecret(context: IHookFunctions): Promise<string> {
	return readWebhookSecret(await context.getCredentials(CREDENTIALS_TYPE));
}

function describe(
	context: IHookFunctions,
	{ path }: SubscriptionSettings,
	entry: Entry,
): Subscription {
	return { ...entry, ...useOf(context), address: addressOf(context), path };
}

function addressOf(context: IHookFunctions): string {
	const address = context.getNodeWebhookUrl('default');
	if (address) return address;
	throw operationError(context.getNode(), 'n8n does not know the address of this trigger', {});
}

function useOf(context: IHookFunctions): Pick<Subscription, 'test'> {
	return { test: context.getMode() === 'manual' };
}

function sameEvents(some: string[], others: string[]): boolean {
	return JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());
}

function asError(context: IHookFunctions, error: unknown): Error {
	return error instanceof Error ? error : operationError(context.getNode(), String(error), {});
}

/** The error without the webhook secret, which the service may repeat in its answer. */
function withoutSecret(error: Error, secret = ''): Error {
	error.message = redact(error.message, [secret]);
	if (error instanceof NodeApiError) error.description = redact(error.description ?? '', [secret]);
	return error;
}
