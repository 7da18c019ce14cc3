import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { isObject } from '../transport/json';

/** A subscription that this trigger made at the service. */
export interface Subscription {
	/** The address of the trigger; that for tests is another one. */
	address: string;
	id: string;
	events: string[];
	/** Where the service takes subscriptions. */
	path: string;
	/** Whether it is for trying the trigger out in the editor. */
	test: boolean;
}

/**
 * Subscriptions of this process by their address. When a workflow cannot be activated because of another of
 * its triggers, n8n has them removed without a memory of what was made just before.
 */
const made = new Map<string, Subscription>();

/** What this trigger has subscribed to, as the workflow's static data keep it. */
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

	/** Puts a subscription into the static data if it is missing there, as after a call that overlapped its making. */
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
