import type { IHookFunctions } from 'n8n-workflow';
import { readWebhookSecret, readWebhookSecrets } from '../../api/account';
import { mayHaveBeenAccepted } from '../../api/requestFailure';
import { connect, CREDENTIALS_TYPE } from '../../connection';
import { type Subscription, SubscriptionMemory } from '../../memory/subscriptions';
import { Problem, toNodeError, withNodeErrors } from '../../nodeError';
import { readEvents } from '../filters';
import { PanelValues } from '../panelValues';
import { readSettings } from '../settings';
import { problemWith } from '../verification';
import { type Entry, fail, noId, SubscriptionEndpoint } from './endpoint';
import { readRegistration, type RegistrationSettings } from './settings';

/**
 * Whether the service has this trigger's subscription, with the events that are wanted now. A trigger that is
 * registered by hand counts as subscribed.
 *
 * @throws {NodeOperationError} when calls could not be verified, and when something is not filled in.
 * @throws {NodeApiError} when the service does not tell: only its "not found" means that there is none.
 */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
	return await withNodeErrors(context.getNode(), async () => {
		await checkSettings(context);
		const registration = await Registration.of(context);
		return registration ? await registration.isMade() : true;
	});
}

/**
 * Subscribes to the service's events, in place of what this trigger had subscribed to before.
 *
 * @throws {NodeApiError} when the service does not take the subscription. Then there is none.
 */
export async function subscribe(context: IHookFunctions): Promise<boolean> {
	return await withNodeErrors(context.getNode(), async () => {
		const registration = await Registration.of(context);
		await registration?.make();
		return true;
	});
}

/** Takes the subscription of this trigger away. One that is gone already is as good. */
export async function unsubscribe(context: IHookFunctions): Promise<boolean> {
	return await withNodeErrors(context.getNode(), async () => {
		const memory = new SubscriptionMemory(context);
		const takeAway = async (subscription: Subscription) => {
			await (await connectEndpoint(context)).remove(subscription);
			memory.forget(subscription);
		};
		const current = memory.ofAddress(addressOf(context));
		if (current) await takeAway(current);
		// The address of n8n may have changed meanwhile. While a trigger is tried out, its workflow is not active.
		const earlier = context.getWorkflow().active ? memory.ofUse({ test: false }) : [];
		for (const subscription of earlier) await takeAway(subscription);
		return true;
	});
}

/** Stops the activation when calls could not be verified, filtered or answered as the panel says. */
async function checkSettings(context: IHookFunctions): Promise<void> {
	const { verification } = readSettings(PanelValues.of(context));
	if (!verification) return;
	const secrets = readWebhookSecrets(await context.getCredentials(CREDENTIALS_TYPE));
	const problem = problemWith(verification, secrets);
	if (problem) throw problem;
}

/** The automatic registration of one trigger, while n8n activates it. */
class Registration {
	private readonly context: IHookFunctions;
	private readonly settings: RegistrationSettings;
	private readonly endpoint: SubscriptionEndpoint;
	private readonly memory: SubscriptionMemory;
	private readonly wanted: Omit<Subscription, 'id'>;

	private constructor(
		context: IHookFunctions,
		settings: RegistrationSettings,
		endpoint: SubscriptionEndpoint,
	) {
		this.context = context;
		this.settings = settings;
		this.endpoint = endpoint;
		this.memory = new SubscriptionMemory(context);
		this.wanted = {
			address: addressOf(context),
			events: readEvents(PanelValues.of(context)),
			path: settings.path,
			test: context.getMode() === 'manual',
		};
	}

	/** Undefined when the address is entered at the service by hand. */
	static async of(context: IHookFunctions): Promise<Registration | undefined> {
		const settings = readRegistration(PanelValues.of(context));
		return settings && new Registration(context, settings, await connectEndpoint(context));
	}

	/** Whether the subscription is there as it is wanted now. */
	async isMade(): Promise<boolean> {
		const subscription = (await this.recall()) ?? (await this.discover());
		return (
			subscription !== undefined &&
			subscription.path === this.wanted.path &&
			isSame(subscription.events, this.wanted.events)
		);
	}

	/** Makes the subscription, in place of earlier ones. */
	async make(): Promise<void> {
		for (const replaced of this.memory.ofUse(this.wanted)) {
			await this.endpoint.remove(replaced);
			this.memory.forget(replaced);
		}
		const created = (await this.createOrCleanUp()) ?? (await this.findLeftOver());
		if (!created) throw noId(this.wanted.address);
		this.memory.remember({ ...this.wanted, id: created.id });
	}

	/** The subscription that is remembered, unless the service says that it is gone. */
	private async recall(): Promise<Subscription | undefined> {
		const subscription = this.memory.ofAddress(this.wanted.address);
		if (!subscription) return undefined;
		const isKept = await this.isStillThere(subscription);
		if (isKept) this.memory.keep(subscription.address);
		else this.memory.forget(subscription);
		return isKept ? subscription : undefined;
	}

	private async isStillThere(subscription: Subscription): Promise<boolean> {
		const isRestart = ['init', 'leadershipChange'].includes(this.context.getActivationMode());
		if (!isRestart) return await this.endpoint.isThere(subscription);
		try {
			return await this.endpoint.quickly.isThere(subscription);
		} catch {
			// n8n must listen again after a restart, also if the service cannot be asked just then.
			return true;
		}
	}

	/** The subscription of this address that the service knows of although this workflow does not. */
	private async discover(): Promise<Subscription | undefined> {
		const entry = await this.endpoint.find(this.settings, this.wanted.address);
		if (!entry) return undefined;
		const subscription = { ...this.wanted, ...entry };
		this.memory.remember(subscription);
		return subscription;
	}

	private async createOrCleanUp(): Promise<Entry | undefined> {
		try {
			return await this.endpoint.create(this.settings, this.wanted);
		} catch (failure) {
			if (mayHaveBeenAccepted(failure)) await this.cleanUp();
			return fail(failure);
		}
	}

	/** Takes away what the service may have made although it did not say so. */
	private async cleanUp(): Promise<void> {
		const left = await this.findLeftOver();
		if (!left) return;
		try {
			await this.endpoint.remove({ ...this.wanted, id: left.id });
		} catch (failure) {
			this.warnOfLeftOver(failure);
		}
	}

	/** What the service has for this address, if it can be found out just now. */
	private async findLeftOver(): Promise<Entry | undefined> {
		try {
			return await this.endpoint.quickly.find(this.settings, this.wanted.address);
		} catch (failure) {
			this.warnOfLeftOver(failure);
			return undefined;
		}
	}

	private warnOfLeftOver(failure: unknown): void {
		const { message } = toNodeError(this.context.getNode(), failure);
		this.context.logger.warn(
			`A subscription may be left over at the service for ${this.wanted.address}: ${message}`,
		);
	}
}

async function connectEndpoint(context: IHookFunctions): Promise<SubscriptionEndpoint> {
	return new SubscriptionEndpoint(await connect(context), await readSecret(context));
}

async function readSecret(context: IHookFunctions): Promise<string> {
	return readWebhookSecret(await context.getCredentials(CREDENTIALS_TYPE));
}

function addressOf(context: IHookFunctions): string {
	const address = context.getNodeWebhookUrl('default');
	if (address) return address;
	throw new Problem('n8n does not know the address of this trigger');
}

function isSame(some: string[], others: string[]): boolean {
	return JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());
}
