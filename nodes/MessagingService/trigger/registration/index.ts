import type { IHookFunctions } from 'n8n-workflow';
import { readAllSecrets, readWebhookSecret, readWebhookSecrets } from '../../api/account';
import { Redactor } from '../../api/secrets';
import { connect, CREDENTIALS_TYPE } from '../../connection';
import { type Subscription, SubscriptionMemory } from '../../memory/subscriptions';
import { Problem, toNodeError, withNodeErrors } from '../../nodeError';
import { readEvents } from '../filters';
import { PanelValues } from '../panelValues';
import { readSettings } from '../settings';
import { checkSecrets } from '../verification';
import { SubscriptionEndpoint } from './endpoint';
import { Registration } from './registration';
import { readDetails, readRegistration, type RegistrationSettings } from './settings';

/**
 * Whether the service has this trigger's subscription, with the events that are wanted now. A trigger that is
 * registered by hand counts as subscribed.
 *
 * @throws {NodeOperationError} when calls could not be verified, when something is not filled in, and when the
 *   service may have a subscription that cannot be found.
 * @throws {NodeApiError} when the service does not tell.
 */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
	return await atEdge(context, async () => {
		await checkSettings(context);
		const registration = await registrationOf(context);
		return registration ? await registration.isMade() : true;
	});
}

/**
 * Subscribes to the service's events, in place of what this trigger had subscribed to before.
 *
 * @throws {NodeApiError} when the service does not take the subscription. Then there is none.
 * @throws {NodeOperationError} when nobody knows whether there is one. It names it.
 */
export async function subscribe(context: IHookFunctions): Promise<boolean> {
	return await atEdge(context, async () => {
		const registration = await registrationOf(context);
		await registration?.make();
		return true;
	});
}

/** Takes the subscription of this trigger away. One that is gone already is as good. */
export async function unsubscribe(context: IHookFunctions): Promise<boolean> {
	return await atEdge(context, async () => {
		const memory = new SubscriptionMemory(context);
		const address = addressOf(context);
		const { active } = context.getWorkflow();
		memory.unconfirmed({ address, test: !active });
		const current = memory.ofAddress(address);
		// The address of n8n may have changed meanwhile. While a trigger is tried out, its workflow is not active.
		const others = active ? memory.ofUse({ test: false }) : [];
		if (current) await (memory.isStored(current) ? takeAway : takeBack)(context, current);
		for (const each of others) if (each.address !== address) await takeAway(context, each);
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

async function redactorOf(context: IHookFunctions): Promise<Redactor> {
	try {
		return new Redactor(readAllSecrets(await context.getCredentials(CREDENTIALS_TYPE)));
	} catch {
		// Whoever needs the credential says what is wrong with it.
		return new Redactor([]);
	}
}

/** Stops the activation when calls could not be verified, filtered or answered as the panel says. */
async function checkSettings(context: IHookFunctions): Promise<void> {
	const { verification } = readSettings(PanelValues.of(context));
	if (!verification) return;
	const secrets = readWebhookSecrets(await context.getCredentials(CREDENTIALS_TYPE));
	checkSecrets(verification, secrets);
}

/** Undefined when the address is entered at the service by hand. */
async function registrationOf(context: IHookFunctions): Promise<Registration | undefined> {
	const settings = readRegistration(PanelValues.of(context));
	return settings && (await connectRegistration(context, settings));
}

async function connectRegistration(
	context: IHookFunctions,
	settings: RegistrationSettings,
): Promise<Registration> {
	const secret = readWebhookSecret(await context.getCredentials(CREDENTIALS_TYPE));
	const endpoint = new SubscriptionEndpoint(await connect(context), secret);
	return new Registration(context, settings, endpoint, {
		address: addressOf(context),
		events: readEvents(PanelValues.of(context)),
		path: settings.path,
		test: context.getMode() === 'manual',
	});
}

/** The trigger may be registered in another way by now, so the path is that of the subscription. */
async function takeAway(context: IHookFunctions, subscription: Subscription): Promise<void> {
	const settings = { ...readDetails(PanelValues.of(context)), path: subscription.path };
	await (await connectRegistration(context, settings)).takeAway(subscription);
}

/**
 * Takes a subscription away after an activation that failed. What is stored here, n8n keeps only if nothing is
 * thrown, so a subscription that stays is left to the next activation.
 */
async function takeBack(context: IHookFunctions, subscription: Subscription): Promise<void> {
	new SubscriptionMemory(context).remember(subscription);
	try {
		await takeAway(context, subscription);
	} catch (failure) {
		const redactor = await redactorOf(context);
		const { message } = toNodeError(context.getNode(), failure, { redactor });
		context.logger.warn(
			redactor.hide(
				`The subscription "${subscription.id}" for ${subscription.address} is left at the service: ${message}`,
			),
		);
	}
}

function addressOf(context: IHookFunctions): string {
	const address = context.getNodeWebhookUrl('default');
	if (address) return address;
	throw new Problem('n8n does not know the address of this trigger');
}
