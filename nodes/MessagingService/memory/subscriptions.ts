import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { isObject } from '../api/json';
import { BoundedMap } from './boundedMap';

/** A subscription that a trigger made at the service. */
export interface Subscription {
	id: string;
	/** The address of the trigger; that for tests is another one. */
	address: string;
	events: string[];
	/** Path of the endpoint where it was made. */
	path: string;
}

const MAX_KNOWN = 1_000;

/**
 * What this process knows, by address. When a workflow cannot be activated since another trigger of it fails, n8n
 * drops the static data that were just written; and a call that is under way may write them as they were before.
 */
const known = new BoundedMap<string, Subscription>(MAX_KNOWN);
/** A request that may have made a subscription. */
interface Doubt {
	/** Milliseconds since 1970. */
	at: number;
	/** Whether the service was done with the request, so that its list tells. */
	isOver: boolean;
}

/** By address. */
const doubts = new BoundedMap<string, Doubt>(MAX_KNOWN);
/** n8n tries an activation again and again within this time, in milliseconds. After that, it is a person who tries. */
const DOUBT_LASTS = 120_000;

/** Forgets what this process knows, as a restart does. For tests. */
export function resetSubscriptions(): void {
	known.clear();
	doubts.clear();
}

/** The subscription of one trigger, as the workflow's static data keep it. */
export class SubscriptionMemory {
	private readonly data: IDataObject;
	private readonly address: string;

	constructor(context: Pick<IHookFunctions, 'getWorkflowStaticData'>, address: string) {
		this.data = context.getWorkflowStaticData('node');
		this.address = address;
	}

	/** It may be for an earlier address of n8n. */
	get subscription(): Subscription | undefined {
		return known.get(this.address) ?? readSubscription(this.data.subscription);
	}

	/** The request that may have made a subscription a moment ago. */
	get doubt(): Doubt | undefined {
		const doubt = doubts.get(this.address);
		return doubt && Date.now() - doubt.at < DOUBT_LASTS ? doubt : undefined;
	}

	remember(subscription: Subscription): void {
		known.set(this.address, subscription);
		doubts.delete(this.address);
		this.data.subscription = { ...subscription };
	}

	rememberDoubt(isOver: boolean): void {
		doubts.set(this.address, { at: Date.now(), isOver });
	}

	/** Forgets the subscription. A request that may have made one stays in doubt. */
	forget(): void {
		known.delete(this.address);
		delete this.data.subscription;
	}
}

function readSubscription(value: unknown): Subscription | undefined {
	if (!isObject(value) || !Array.isArray(value.events)) return undefined;
	const { id, address, path, events } = value;
	if (typeof id !== 'string' || typeof address !== 'string' || typeof path !== 'string') {
		return undefined;
	}
	return { id, address, path, events: events.map(String) };
}
