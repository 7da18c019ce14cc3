import type { IHookFunctions } from 'n8n-workflow';
import { readWebhookSecret, readWebhookSecrets } from '../../api/account';
import { type Client, DEFAULT_TRANSPORT } from '../../api/client';
import { connect, CREDENTIALS_TYPE } from '../../n8n/connection';
import { forget, recall, recallDoubt, remember, type Subscription } from './stored';
import { withNodeErrors } from '../../n8n/errors';
import { Problem } from '../../n8n/problem';
import { PanelValues } from '../../panel/parameters';
import { readSettings } from '../settings';
import { checkSecrets } from '../verification';
import { readRegistration } from './settings';
import {
	listSubscriptions,
	createSubscription,
	removeSubscription,
	type WantedSubscription,
} from './subscriptions';

/** Milliseconds for all requests of an activation. n8n 2 tries five times, and gives up after 84 seconds in all. */
const MAX_TIME = 12_000;

/**
 * Makes sure that the service sends its events to this trigger, and no longer to an earlier address of it. With manual
 * registration, it only checks the settings.
 *
 * @throws {NodeApiError} when the list of subscriptions cannot be read, or the service rejects the new one.
 * @throws {NodeOperationError} when calls could not be verified, something is not filled in, or it is unknown whether
 * there is a subscription.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
	await withNodeErrors(context.getNode(), async () => {
		const wanted = await readWantedSubscription(context);
		if (wanted) await ensureSubscription(context, wanted);
	});
}

/** Removes the subscription of this trigger at the service, where it may be gone already. */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
	await withNodeErrors(context.getNode(), async () => {
		const stored = recall(context, triggerAddress(context));
		if (!stored) return;
		await removeSubscription(await connectBriefly(context), stored);
		forget(context, stored);
	});
}

/**
 * The subscription to ask for; undefined for manual registration. Stops the activation when calls could not be
 * verified, filtered or answered as the panel says.
 */
async function readWantedSubscription(
	context: IHookFunctions,
): Promise<WantedSubscription | undefined> {
	const values = PanelValues.ofTrigger(context);
	const { verification, filters } = readSettings(values);
	const settings = readRegistration(values);
	if (!verification && !settings) return undefined;
	if (settings && verification?.secretAt?.part === 'query') {
		throw new Problem(
			'With automatic registration, the secret cannot be in the query: the service is told the address without it',
			'Set "Secret Location" to "Header", or "Registration" to "Manual".',
		);
	}
	const credential = await context.getCredentials(CREDENTIALS_TYPE);
	if (verification) checkSecrets(verification, readWebhookSecrets(credential));
	if (!settings) return undefined;
	const secret = readWebhookSecret(credential);
	return { address: triggerAddress(context), events: filters.events, secret, settings };
}

/**
 * Keeps the subscription that is as wanted, removes all others for the address, and creates one if none is kept. Always
 * creating one would be simpler, but removing the old one would lose the events that the service has yet to redeliver.
 */
async function ensureSubscription(
	context: IHookFunctions,
	wanted: WantedSubscription,
): Promise<void> {
	const client = await connectBriefly(context);
	const stored = recall(context, wanted.address);
	const doubt = recallDoubt(wanted.address);
	const listed = await listSubscriptions(client, wanted).catch((failure: unknown) => {
		// After a restart, the trigger has to listen again even if the service cannot be reached just then.
		if (!stored || !isAsWanted(stored, wanted)) throw doubt ?? failure;
		return undefined;
	});
	// The service may still be creating the subscription in doubt, so an empty list does not rule it out.
	if (doubt && !listed?.length) throw doubt;

	const others = listed?.filter(({ id }) => id !== stored?.id) ?? [];
	const all = stored ? [stored, ...others] : others;
	const isThere = ({ id }: Subscription) => !listed || listed.some((each) => each.id === id);
	const kept = all.find((each) => isThere(each) && isAsWanted(each, wanted));
	for (const each of all) {
		if (each === kept) continue;
		await removeSubscription(client, each);
		if (each === stored) forget(context, stored);
	}
	// The kept one is stored again, since something else may have overwritten it in the static data.
	remember(context, kept ?? (await createSubscription(client, wanted)));
}

/** A client with a short deadline, since n8n waits for the hook. */
async function connectBriefly(context: IHookFunctions): Promise<Client> {
	const client = await connect(context);
	return client.with({ ...DEFAULT_TRANSPORT, maxRetries: 1 }).within(MAX_TIME);
}

function isAsWanted({ address, events, path }: Subscription, wanted: WantedSubscription): boolean {
	return (
		address === wanted.address &&
		path === wanted.settings.path &&
		[...events].sort().join('\n') === wanted.events.join('\n')
	);
}

function triggerAddress(context: IHookFunctions): string {
	const address = context.getNodeWebhookUrl('default');
	if (address) return address;
	throw new Problem('n8n does not know the address of this trigger');
}
