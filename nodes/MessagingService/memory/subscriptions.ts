import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { isObject } from '../api/json';
import { BoundedMap } from './boundedMap';

/** A subscription that a trigger made at the service. */
export interface Subscription {
	/** The address of the trigger; that for tests is another one. */
	address: string;
	id: string;
	events: string[];
	/** Path of the endpoint that it was made at. */
	path: string;
	/** Whether it is for trying the trigger out in the editor. */
	test: boolean;
}

const MAX_MADE = 1_000;

/**
 * Subscriptions of this process by their address. When a workflow cannot be activated because of another of
 * its triggers, n8n has them removed without the static data that they were just written to.
 */
const made = new BoundedMap<string, Subscription>(MAX_MADE);

/** Forgets what this process knows, as a restart does. For tests. */
export function resetSubscriptions(): void {
	made.clear();
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

	remember(subscription: Subscription): void {
		made.set(subscription.address, subscription);
		this.data.subscriptions = [...this.all, { ...subscription }];
	}

	/** Restores a subscription that a call, which overlapped its making, has overwritten in the static data. */
	keep(address: string): void {
		const subscription = made.get(address);
		if (subscription && !this.all.some(({ id }) => id === subscription.id)) {
			this.remember(subscription);
		}
	}

	forget({ address, id, path }: Subscription): void {
		if (made.get(address)?.id === id) made.delete(address);
		this.data.subscriptions = this.all.filter((each) => each.id !== id || each.path !== path);
	}

	private get all(): Subscription[] {
		const { subscriptions } = this.data;
		return Array.isArray(subscriptions) ? subscriptions.flatMap((each) => read(each)) : [];
	}
}

function read(value: unknown): Subscription[] {
	if (!isObject(value) || !Array.isArray(value.events)) return [];
	const { address, id, path } = value;
	if (typeof address !== 'string' || typeof id !== 'string' || typeof path !== 'string') return [];
	return [{ address, id, path, events: value.events.map(String), test: value.test === true }];
}
