import type { IHookFunctions } from 'n8n-workflow';
import { mayHaveBeenAccepted, RequestFailure } from '../../api/requestFailure';
import {
	type Subscription,
	SubscriptionMemory,
	type SubscriptionRequest,
	type Unconfirmed,
} from '../../memory/subscriptions';
import { type Problem, toNodeError } from '../../nodeError';
import type { Listing, SubscriptionEndpoint } from './endpoint';
import {
	alreadyThere,
	keptInDoubt,
	leftOver,
	listedWithoutId,
	madeWithoutId,
	notRemoved,
	unknownId,
} from './problems';
import type { RegistrationSettings } from './settings';

/** Statuses of something before the service, which may still be at work when they come. */
const GATEWAY_STATUSES = [408, 499, 502, 504];
/** Milliseconds after which a request that got no answer can have no effect any more. */
const SETTLED_AFTER = 120_000;

type Context = Pick<
	IHookFunctions,
	'getActivationMode' | 'getNode' | 'getWorkflowStaticData' | 'logger'
>;

/**
 * The automatic registration of one trigger, while n8n activates it. However often n8n tries, the service has
 * one subscription of it at most: as long as an earlier request may have made one that cannot be found, no other
 * is asked for.
 */
export class Registration {
	private readonly context: Context;
	private readonly settings: RegistrationSettings;
	private readonly endpoint: SubscriptionEndpoint;
	private readonly memory: SubscriptionMemory;
	private readonly wanted: SubscriptionRequest;

	constructor(
		context: Context,
		settings: RegistrationSettings,
		endpoint: SubscriptionEndpoint,
		wanted: SubscriptionRequest,
	) {
		this.context = context;
		this.settings = settings;
		this.endpoint = endpoint;
		this.memory = new SubscriptionMemory(context);
		this.wanted = wanted;
	}

	/**
	 * Whether the subscription is there as it is wanted now.
	 *
	 * @throws {Problem} when there may be one that cannot be found.
	 */
	async isMade(): Promise<boolean> {
		const subscription = (await this.recall()) ?? (await this.discover());
		return subscription !== undefined && this.isWanted(subscription);
	}

	/** Makes the subscription, in place of earlier ones. */
	async make(): Promise<void> {
		for (const replaced of this.memory.ofUse(this.wanted)) await this.takeAway(replaced);
		const conflict = await this.request();
		if (!conflict || (await this.useExisting(conflict))) return;
		const again = await this.request();
		if (again) throw alreadyThere(this.wanted.address, again);
	}

	/** Takes a subscription away, and notes it if nobody knows whether it is gone then. */
	async takeAway(subscription: Subscription): Promise<void> {
		const isRemoved = await this.remove(subscription);
		const isGone = isRemoved || (await this.isGone(subscription));
		this.memory.forget(subscription);
		const { address, events, id, path, test } = subscription;
		if (!isGone) this.doubt({ address, events, id, path, test, isMade: false });
	}

	/** The subscription that is remembered, unless it is gone. */
	private async recall(): Promise<Subscription | undefined> {
		const subscription = this.memory.ofAddress(this.wanted.address);
		if (!subscription) return undefined;
		const isThere = await this.isStillThere(subscription);
		if (isThere === false && (await this.isGone(subscription))) {
			this.memory.forget(subscription);
			return undefined;
		}
		return this.confirm(subscription, subscription.id, subscription.shown || isThere === true);
	}

	private async isStillThere(subscription: Subscription): Promise<boolean | undefined> {
		const isRestart = ['init', 'leadershipChange'].includes(this.context.getActivationMode());
		if (!isRestart) return await this.endpoint.isThere(subscription);
		try {
			return await this.endpoint.quickly.isThere(subscription);
		} catch {
			// n8n must listen again after a restart, also if the service cannot be asked just then.
			return undefined;
		}
	}

	/** Whether a subscription that was not found is gone: many services answer "not found" to what they do not offer. */
	private async isGone(subscription: Subscription): Promise<boolean> {
		if (subscription.shown) return true;
		const { address, path } = subscription;
		const listing = await this.listQuickly(path, [address]);
		return listing?.isConclusive === true && listing.found.length === 0;
	}

	/** The subscription that the service has for this trigger although the trigger does not remember it. */
	private async discover(): Promise<Subscription | undefined> {
		const doubt = this.memory.unconfirmed(this.wanted);
		const settled = doubt && (await this.settle(doubt));
		if (settled) return settled;
		const { address, path } = this.wanted;
		return await this.adopt(path, await this.endpoint.list(this.settings, path, [address]));
	}

	/** Takes over a subscription from the list, and removes others of the same trigger. */
	private async adopt(
		path: string,
		listing: Listing | undefined,
	): Promise<Subscription | undefined> {
		const all = (listing?.found ?? []).map(({ id, ...entry }) => {
			if (id === undefined) {
				if (!this.memory.unconfirmed(this.wanted)) this.doubt({ ...entry, path, isMade: false });
				throw listedWithoutId(entry.address, this.settings);
			}
			return { ...this.wanted, ...entry, id, path, shown: false };
		});
		const kept = all.find((each) => this.isWanted(each)) ?? all[0];
		if (!kept) return undefined;
		this.memory.remember(kept);
		this.memory.forgetUnconfirmed(kept);
		for (const each of all) if (each !== kept) await this.remove(each);
		return kept;
	}

	/**
	 * Finds out about a subscription that may be left at the service.
	 *
	 * @returns the subscription; undefined when there is none.
	 * @throws {Problem} when that cannot be found out.
	 */
	private async settle(doubt: Unconfirmed): Promise<Subscription | undefined> {
		const { attempt, idField, subscriptionId } = this.settings;
		const listing = await this.listQuickly(doubt.path, [this.wanted.address, doubt.address]);
		const listed = await this.adopt(doubt.path, listing);
		if (listed) return listed;
		const isOver = !doubt.isMade && Date.now() - doubt.askedAt > SETTLED_AFTER;
		if (attempt > doubt.attempt || (listing?.isConclusive && isOver)) {
			this.memory.forgetUnconfirmed(doubt);
			return undefined;
		}
		if (subscriptionId !== '' && subscriptionId !== doubt.enteredId) {
			return await this.adoptEntered(doubt);
		}
		const id = doubt.answer[idField] ?? doubt.answer[`data.${idField}`];
		if (id === undefined) throw this.problemOf(doubt);
		return this.confirm(doubt, id);
	}

	/** Takes over the subscription whose ID was entered in the panel. */
	private async adoptEntered(request: SubscriptionRequest): Promise<Subscription> {
		const { subscriptionId: id } = this.settings;
		const isThere = await this.endpoint.isThere({ path: request.path, id });
		if (isThere === false) throw unknownId(id, request.address);
		return this.confirm(request, id, isThere);
	}

	/**
	 * Asks the service for the subscription, unless it may have one.
	 *
	 * @returns the failure when the service says that it has a subscription of this address already.
	 */
	private async request(): Promise<RequestFailure | undefined> {
		const doubt = this.memory.unconfirmed(this.wanted);
		if (doubt) throw this.problemOf(doubt);
		try {
			await this.create();
			return undefined;
		} catch (failure) {
			const isConflict = failure instanceof RequestFailure && failure.status === 409;
			return isConflict ? failure : await this.recover(failure);
		}
	}

	private async create(): Promise<void> {
		const { entry, values } = await this.endpoint.create(this.settings, this.wanted);
		if (entry) {
			// Whether the service shows single ones decides later on what its "not found" means.
			const { id } = this.confirm(this.wanted, entry.id);
			const isShown = await this.isShown({ path: this.wanted.path, id });
			if (isShown) this.confirm(this.wanted, id, true);
			return;
		}
		const doubt = this.doubt({ isMade: true, answer: values });
		const { address, path } = this.wanted;
		if (await this.adopt(path, await this.listQuickly(path, [address]))) return;
		throw this.problemOf(doubt);
	}

	/** Takes back what a failed request may have made, and says what is left. */
	private async recover(failure: unknown): Promise<never> {
		if (!mayHaveBeenAccepted(failure)) throw failure;
		this.doubt({ isMade: false });
		const { address, path } = this.wanted;
		const listing = await this.listQuickly(path, [address]);
		const made = await this.adopt(path, listing);
		if (made) {
			const isTakenAway = await this.quietly(async () => {
				await this.takeAway(made);
				return true;
			});
			if (!isTakenAway) throw keptInDoubt(made, failure);
		} else if (listing?.isConclusive && isOver(failure)) {
			this.memory.forgetUnconfirmed(this.wanted);
		}
		const doubt = this.memory.unconfirmed(this.wanted);
		throw doubt ? leftOver(doubt, failure) : failure;
	}

	/** Takes over the subscription that the service has; false when it was not as wanted, and was taken away. */
	private async useExisting(conflict: RequestFailure): Promise<boolean> {
		const { address, path } = this.wanted;
		const listed = await this.adopt(path, await this.listQuickly(path, [address]));
		const isEntered = this.settings.subscriptionId !== '';
		const found = listed ?? (isEntered ? await this.adoptEntered(this.wanted) : undefined);
		if (!found) throw alreadyThere(address, conflict);
		if (this.isWanted(found)) return true;
		await this.takeAway(found);
		return false;
	}

	/** Removes a subscription at the service; false when it is not found. */
	private async remove(subscription: Subscription): Promise<boolean> {
		try {
			if (await this.endpoint.remove(subscription)) return true;
		} catch (failure) {
			throw notRemoved(subscription, failure);
		}
		if (await this.isShown(subscription)) throw notRemoved(subscription);
		return false;
	}

	/** Whether the service shows a subscription by its ID, if that can be found out just now. */
	private async isShown(subscription: Pick<Subscription, 'id' | 'path'>): Promise<boolean> {
		const ask = async () => await this.endpoint.quickly.isThere(subscription);
		return (await this.quietly(ask)) === true;
	}

	/** Remembers a subscription that is known by its ID now. */
	private confirm(request: SubscriptionRequest, id: string, shown = false): Subscription {
		const { address, events, path, test } = request;
		const subscription = { address, events, path, test, id, shown };
		this.memory.remember(subscription);
		this.memory.forgetUnconfirmed(request);
		return subscription;
	}

	/** Remembers that a subscription may be left at the service. */
	private doubt(known: Pick<Unconfirmed, 'isMade'> & Partial<Unconfirmed>): Unconfirmed {
		const { attempt, subscriptionId: enteredId } = this.settings;
		const now = { askedAt: Date.now(), attempt, enteredId };
		const doubt = { ...this.wanted, answer: {}, ...known, ...now };
		this.memory.rememberUnconfirmed(doubt);
		return doubt;
	}

	private problemOf(doubt: Unconfirmed): Problem {
		return doubt.isMade ? madeWithoutId(doubt, this.settings) : leftOver(doubt);
	}

	private isWanted({ address, events, path }: Subscription): boolean {
		const { wanted } = this;
		return address === wanted.address && path === wanted.path && isSame(events, wanted.events);
	}

	/** What the list says, if it can be read just now. */
	private async listQuickly(path: string, addresses: string[]): Promise<Listing | undefined> {
		return await this.quietly(
			async () => await this.endpoint.quickly.list(this.settings, path, addresses),
		);
	}

	private async quietly<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
		try {
			return await ask();
		} catch (failure) {
			const { redactor } = this.endpoint;
			const { message } = toNodeError(this.context.getNode(), failure, { redactor });
			this.context.logger.warn(`The subscription could not be looked for: ${message}`);
			return undefined;
		}
	}
}

/** Whether the service was done with a request that failed. */
function isOver(failure: unknown): boolean {
	if (!(failure instanceof RequestFailure) || failure.status === undefined) return false;
	return !GATEWAY_STATUSES.includes(failure.status);
}

function isSame(some: string[], others: string[]): boolean {
	return JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());
}
