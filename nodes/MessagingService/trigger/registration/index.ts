import type { IHookFunctions } from 'n8n-workflow';
import { readWebhookSecret, readWebhookSecrets } from '../../api/account';
import type { Client } from '../../api/client';
import { connect, CREDENTIALS_TYPE, redactorOf } from '../../connection';
import {
	forget,
	recall,
	recallDoubt,
	remember,
	type Subscription,
} from '../../memory/subscriptions';
import { Problem, withNodeErrors } from '../../nodeError';
import { PanelValues } from '../../panel/parameters';
import { readEventNames } from '../filters';
import { readSettings } from '../settings';
import { checkSecrets } from '../verification';
import { readRegistration } from './settings';
import {
	listSubscriptions,
	makeSubscription,
	mayBeLeft,
	takeAway,
	type Wanted,
} from './subscriptions';

/**
 * Sees to it that the service sends its events to this trigger, and no longer to an earlier address of it. A trigger
 * that is registered by hand needs usable settings alone.
 *
 * @throws {NodeApiError} when the service does not tell what it has, or does not take the subscription.
 * @throws {NodeOperationError} when calls could not be verified, something is not filled in, or nobody knows whether
 * there is a subscription.
 */
export async function subscribe(context: IHookFunctions): Promise<boolean> {
	return await atEdge(context, async () => {
		await checkSettings(context);
		const wanted = await readWanted(context);
		if (wanted) await ensure(context, await connect(context), wanted);
		return true;
	});
}

/** Takes the subscription of this trigger away. One that is gone already is as good. */
export async function unsubscribe(context: IHookFunctions): Promise<boolean> {
	return await atEdge(context, async () => {
		const subscription = recall(context, addressOf(context));
		if (subscription) {
			await takeAway(await connect(context), subscription);
			forget(context, subscription);
		}
		return true;
	});
}

/** Does the work of a hook; what it throws shows no secret of the credential. */
async function atEdge<Result>(
	context: IHookFunctions,
	work: () => Promise<Result>,
): Promise<Result> {
	return await withNodeErrors(context.getNode(), work, { redactor: await redactorOf(context) });
}

/** Stops the activation when calls could not be verified, filtered or answered as the panel says. */
async function checkSettings(context: IHookFunctions): Promise<void> {
	const values = PanelValues.ofTrigger(context);
	const { verification } = readSettings(values);
	if (!verification) return;
	if (verification.secretAt?.part === 'query' && readRegistration(values)) {
		throw new Problem(
			'With automatic registration, the secret cannot be in the query: the service is told the address without it',
			'Set "Secret Location" to "Header", or "Registration" to "Manual" and enter the address with the secret at the service yourself.',
		);
	}
	const secrets = readWebhookSecrets(await context.getCredentials(CREDENTIALS_TYPE));
	checkSecrets(verification, secrets);
}

/** What is asked of the service; undefined when the address is entered there by hand. */
async function readWanted(context: IHookFunctions): Promise<Wanted | undefined> {
	const values = PanelValues.ofTrigger(context);
	const settings = readRegistration(values);
	if (!settings) return undefined;
	const secret = readWebhookSecret(await context.getCredentials(CREDENTIALS_TYPE));
	return { address: addressOf(context), events: readEventNames(values), secret, settings };
}

/** Keeps the subscription that is as it is wanted, takes away all others for the address, and makes one if there is none. */
async function ensure(context: IHookFunctions, client: Client, wanted: Wanted): Promise<void> {
	const { address } = wanted;
	const stored = recall(context, address);
	const listed = await listSubscriptions(client, wanted).catch((failure: unknown) => {
		// n8n has to listen again after a restart, also if the service cannot be asked just then.
		if (!stored || !isAsWanted(stored, wanted)) throw failure;
		return undefined;
	});
	const isThere = ({ id }: Subscription) => !listed || listed.some((each) => each.id === id);
	const all = [...(stored ? [stored] : []), ...(listed ?? [])];
	const kept = all.find((each) => isThere(each) && isAsWanted(each, wanted));
	for (const each of all) {
		if (each.id === kept?.id) continue;
		await takeAway(client, each);
		if (each === stored) forget(context, stored);
	}
	const doubt = recallDoubt(address);
	if (!kept && doubt && !(doubt.isOver && listed)) throw mayBeLeft(address);
	// Also what is known: somebody may have written over the static data.
	remember(context, kept ?? (await makeSubscription(client, wanted)));
}

function isAsWanted({ address, events, path }: Subscription, wanted: Wanted): boolean {
	return (
		address === wanted.address &&
		path === wanted.settings.path &&
		[...events].sort().join('\n') === [...wanted.events].sort().join('\n')
	);
}

function addressOf(context: IHookFunctions): string {
	const address = context.getNodeWebhookUrl('default');
	if (address) return address;
	throw new Problem('n8n does not know the address of this trigger');
}
