import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { isObject } from '../api/json';
import { BoundedMap } from './boundedMap';

/** What a trigger asks the service for. */
export interface SubscriptionRequest {
	/** The address of the trigger; that for tests is another one. */
	address: string;
	events: string[];
	/** Path of the endpoint that is asked. */
	path: string;
	/** Whether it is for trying the trigger out in the editor. */
	test: boolean;
}

/** A subscription that a trigger made at the service. */
export interface Subscription extends SubscriptionRequest {
	id: string;
	/** Whether the service has shown it by its ID, so that "not found" means that it is gone. */
	shown: boolean;
}

/** A subscription that may be left at the service, and that cannot be found or removed there. */
export interface Unconfirmed extends SubscriptionRequest {
	id?: string;
	/** Whether the service said that it made one, but not its ID: then a list without it proves nothing. */
	isMade: boolean;
	/** What the service answered, by the path of each value: the ID may be under another name. */
	answer: Record<string, string>;
	/** Milliseconds since 1970. */
	askedAt: number;
	/** What "Attempt" and "Subscription ID" in the panel were then: only a change of them is an answer. */
	attempt: number;
	enteredId: string;
}

const MAX_KNOWN = 1_000;

/**
 * What this process knows, by address or trigger. When a workflow cannot be activated, n8n calls the trigger's cleanup
 * without the static data that were just written to; what the cleanup itself writes, it saves.
 */
const made = new BoundedMap<string, Subscription>(MAX_KNOWN);
const unconfirmed = new BoundedMap<string, Unconfirmed>(MAX_KNOWN);
/** Removed subscriptions: a call that overlapped the removal may write them back into the static data. */
const removed = new BoundedMap<string, true>(MAX_KNOWN);

/** Forgets what this process knows, as a restart does. For tests. */
export function resetSubscriptions(): void {
	for (const known of [made, unconfirmed, removed]) known.clear();
}

/** The subscriptions of one trigger, as the workflow's static data keep them. */
export class SubscriptionMemory {
	private readonly data: IDataObject;

	constructor(context: Pick<IHookFunctions, 'getWorkflowStaticData'>) {
		this.data = context.getWorkflowStaticData('node');
	}

	ofAddress(address: string): Subscription | undefined {
		return this.all.find((each) => each.address === address) ?? made.get(address);
	}

	/** Those for production, or those for tests: the address of n8n may have changed since they were made. */
	ofUse(use: Pick<Subscription, 'test'>): Subscription[] {
		return this.all.filter(({ test }) => test === use.test);
	}

	/** Whether n8n will know the subscription after a restart. */
	isStored(subscription: Subscription): boolean {
		return this.all.some((each) => isSame(each, subscription));
	}

	remember(subscription: Subscription): void {
		removed.delete(keyOf(subscription));
		made.set(subscription.address, subscription);
		const others = this.all.filter((each) => !isSame(each, subscription));
		this.data.subscriptions = [...others, { ...subscription }];
	}

	/** Restores a subscription that a call, which overlapped its making, has overwritten in the static data. */
	keep(address: string): void {
		const subscription = made.get(address);
		if (subscription && !this.isStored(subscription)) this.remember(subscription);
	}

	forget(subscription: Subscription): void {
		const { address, id } = subscription;
		removed.set(keyOf(subscription), true);
		if (made.get(address)?.id === id) made.delete(address);
		// Without what was removed.
		this.data.subscriptions = this.all;
	}

	/** What may be left at the service, for production or for tests. It is stored if it was not. */
	unconfirmed(trigger: Pick<SubscriptionRequest, 'address' | 'test'>): Unconfirmed | undefined {
		const stored = this.allUnconfirmed.find(({ test }) => test === trigger.test);
		if (stored) return stored;
		const known = unconfirmed.get(triggerOf(trigger));
		if (known) this.rememberUnconfirmed(known);
		return known;
	}

	rememberUnconfirmed(subscription: Unconfirmed): void {
		unconfirmed.set(triggerOf(subscription), subscription);
		const others = this.allUnconfirmed.filter(({ test }) => test !== subscription.test);
		this.data.unconfirmed = [...others, { ...subscription }];
	}

	forgetUnconfirmed(trigger: Pick<SubscriptionRequest, 'address' | 'test'>): void {
		unconfirmed.delete(triggerOf(trigger));
		const others = this.allUnconfirmed.filter(({ test }) => test !== trigger.test);
		if (others.length > 0) this.data.unconfirmed = others;
		else delete this.data.unconfirmed;
	}

	private get all(): Subscription[] {
		return listOf(this.data.subscriptions)
			.flatMap((each) => readSubscription(each))
			.filter((each) => !removed.has(keyOf(each)));
	}

	private get allUnconfirmed(): Unconfirmed[] {
		return listOf(this.data.unconfirmed).flatMap((each) => readUnconfirmed(each));
	}
}

function isSame(some: Subscription, other: Subscription): boolean {
	return keyOf(some) === keyOf(other);
}

function keyOf({ address, path, id }: Subscription): string {
	return JSON.stringify([address, path, id]);
}

/** The trigger of an address, for production or for tests, wherever n8n is reached. */
function triggerOf({ address, test }: Pick<SubscriptionRequest, 'address' | 'test'>): string {
	return [test, ...address.split('/').slice(-2)].join('/');
}

function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

function readSubscription(value: unknown): Subscription[] {
	const [request] = readRequest(value);
	if (!request || !isObject(value) || typeof value.id !== 'string') return [];
	return [{ ...request, id: value.id, shown: value.shown === true }];
}

function readUnconfirmed(value: unknown): Unconfirmed[] {
	const [request] = readRequest(value);
	if (!request || !isObject(value)) return [];
	const { id, isMade, answer, askedAt, attempt, enteredId } = value;
	return [
		{
			...request,
			...(typeof id === 'string' && { id }),
			isMade: isMade !== false,
			answer: Object.fromEntries(
				Object.entries(isObject(answer) ? answer : {}).map(([path, text]) => [path, String(text)]),
			),
			askedAt: typeof askedAt === 'number' ? askedAt : 0,
			attempt: typeof attempt === 'number' ? attempt : 1,
			enteredId: typeof enteredId === 'string' ? enteredId : '',
		},
	];
}

function readRequest(value: unknown): SubscriptionRequest[] {
	if (!isObject(value) || !Array.isArray(value.events)) return [];
	const { address, path, events, test } = value;
	if (typeof address !== 'string' || typeof path !== 'string') return [];
	return [{ address, path, events: events.map(String), test: test === true }];
}
