import type { IHookFunctions } from 'n8n-workflow';
import { readWebhookSecret, readWebhookSecrets } from '../../api/account';
import { connect, CREDENTIALS_TYPE, redactorOf } from '../../connection';
import { SubscriptionMemory } from '../../memory/subscriptions';
import { Problem, withNodeErrors } from '../../nodeError';
import { PanelValues } from '../../panel/parameters';
import { readEventNames } from '../filters';
import { readSettings } from '../settings';
import { checkSecrets } from '../verification';
import { readRegistration } from './settings';
import { Subscriptions, takeAway } from './subscriptions';

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
		await (await subscriptionsOf(context))?.ensure();
		return true;
	});
}

/** Takes the subscription of this trigger away. One that is gone already is as good. */
export async function unsubscribe(context: IHookFunctions): Promise<boolean> {
	return await atEdge(context, async () => {
		const memory = memoryOf(context);
		const { subscription } = memory;
		if (subscription) {
			await takeAway(await connect(context), subscription);
			memory.forget();
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

/** Undefined when the address is entered at the service by hand. */
async function subscriptionsOf(context: IHookFunctions): Promise<Subscriptions | undefined> {
	const values = PanelValues.ofTrigger(context);
	const settings = readRegistration(values);
	if (!settings) return undefined;
	const secret = readWebhookSecret(await context.getCredentials(CREDENTIALS_TYPE));
	const wanted = { address: addressOf(context), events: readEventNames(values), secret, settings };
	return new Subscriptions(await connect(context), memoryOf(context), wanted);
}

function memoryOf(context: IHookFunctions): SubscriptionMemory {
	return new SubscriptionMemory(context, addressOf(context));
}

function addressOf(context: IHookFunctions): string {
	const address = context.getNodeWebhookUrl('default');
	if (address) return address;
	throw new Problem('n8n does not know the address of this trigger');
}
