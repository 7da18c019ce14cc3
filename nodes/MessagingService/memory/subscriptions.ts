import type { IHookFunctions } from 'n8n-workflow';
import { isObject } from '../api/json';
import type { Problem } from '../nodeError';
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

/** That a request may have made a subscription whose ID is unknown. */
interface Doubt {
	/** What the user was told then. */
	problem: Problem;
	/** Whether the service is done with the request, so that its list tells what became of it. */
	isOver: boolean;
}

type Context = Pick<IHookFunctions, 'getWorkflowStaticData'>;

const MAX_KNOWN = 1_000;
/** n8n tries an activation again and again within this time, in milliseconds. After that, it is a person who tries. */
const DOUBT_LASTS = 120_000;

/**
 * What this process knows, by address, beside the static data: n8n drops what was just written there when another
 * trigger of the workflow cannot be activated, and a call that is under way may write it as it was before.
 */
const known = new BoundedMap<string, Subscription>(MAX_KNOWN);
/** By address. */
const doubts = new BoundedMap<string, Doubt & { at: number }>(MAX_KNOWN);

/** Forgets what this process knows, as a restart does. For tests. */
export function resetSubscriptions(): void {
	known.clear();
	doubts.clear();
}

/** The subscription that the trigger at an address has made. It may be for an earlier address of n8n. */
export function recall(context: Context, address: string): Subscription | undefined {
	const stored = readSubscription(context.getWorkflowStaticData('node').subscription);
	// In a copy of a workflow that came with its static data, it is that of the original.
	const isOwn = stored && endOf(stored.address) === endOf(address);
	return known.get(address) ?? (isOwn ? stored : undefined);
}

/** What n8n tells triggers apart by in their addresses: "<webhook ID>/webhook". */
function endOf(address: string): string {
	return address.split('/').slice(-2).join('/');
}

/** Keeps the subscription of a trigger, for this process and with the workflow. */
export function remember(context: Context, subscription: Subscription): void {
	known.set(subscription.address, subscription);
	doubts.delete(subscription.address);
	context.getWorkflowStaticData('node').subscription = { ...subscription };
}

/** Forgets a subscription that was taken away. A request that may have made another one stays in doubt. */
export function forget(context: Context, { address }: Subscription): void {
	known.delete(address);
	delete context.getWorkflowStaticData('node').subscription;
}

/** Remembers for two minutes that there may be a subscription whose ID is unknown. */
export function rememberDoubt(address: string, doubt: Doubt): void {
	doubts.set(address, { ...doubt, at: Date.now() });
}

/** The doubt of the last two minutes whether there is a subscription. */
export function recallDoubt(address: string): Doubt | undefined {
	const doubt = doubts.get(address);
	return doubt && Date.now() - doubt.at < DOUBT_LASTS ? doubt : undefined;
}

function readSubscription(value: unknown): Subscription | undefined {
	if (!isObject(value) || !Array.isArray(value.events)) return undefined;
	const { id, address, path, events } = value;
	if (typeof id !== 'string' || typeof address !== 'string' || typeof path !== 'string') {
		return undefined;
	}
	return { id, address, path, events: events.map(String) };
}
