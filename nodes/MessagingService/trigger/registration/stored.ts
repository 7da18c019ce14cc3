import type { IHookFunctions } from 'n8n-workflow';
import { isObject } from '../../api/json';
import type { Problem } from '../../n8n/problem';
import { BoundedMap } from '../../api/boundedMap';

/** A subscription that a trigger made at the service. */
export interface Subscription {
	id: string;
	/** The address of the trigger. It has another one for tests. */
	address: string;
	events: string[];
	/** Path of the endpoint where it was made. */
	path: string;
}

type StaticData = Pick<IHookFunctions, 'getWorkflowStaticData'>;

const MAX_KNOWN = 1_000;
/** n8n tries an activation again and again within this time, in milliseconds. After that, it is a person who tries. */
const MAX_DOUBT = 120_000;

/**
 * Subscriptions by address, in this process. The static data is not enough: n8n drops what was just written there when
 * another trigger of the workflow cannot be activated, and a call that is under way may write back an older state.
 */
const known = new BoundedMap<string, Subscription>(MAX_KNOWN);
/** Addresses of which it is unknown whether they have a subscription: what the user was told, and when. */
const doubts = new BoundedMap<string, { problem: Problem; since: number }>(MAX_KNOWN);

/** The subscription that the trigger at an address has made. It may be for an earlier address of n8n. */
export function recall(context: StaticData, address: string): Subscription | undefined {
	const stored = readSubscription(context.getWorkflowStaticData('node').subscription);
	// The static data of a copied workflow may have the subscription of the original.
	const isOwn = stored && endOf(stored.address) === endOf(address);
	return known.get(address) ?? (isOwn ? stored : undefined);
}

/** The end of an address, by which n8n tells triggers apart: "<webhook ID>/webhook". */
function endOf(address: string): string {
	return address.split('/').slice(-2).join('/');
}

/** Keeps the subscription of a trigger, for this process and with the workflow. */
export function remember(context: StaticData, subscription: Subscription): void {
	known.set(subscription.address, subscription);
	doubts.delete(subscription.address);
	context.getWorkflowStaticData('node').subscription = { ...subscription };
}

/** Forgets a subscription that was removed. A doubt about another one for its address remains. */
export function forget(context: StaticData, { address }: Subscription): void {
	known.delete(address);
	delete context.getWorkflowStaticData('node').subscription;
}

/**
 * Remembers for two minutes that there may be a subscription whose ID is unknown.
 *
 * @returns The problem, to be thrown until then.
 */
export function rememberDoubt(address: string, problem: Problem): Problem {
	doubts.set(address, { problem, since: Date.now() });
	return problem;
}

/** The problem to throw while it is unknown whether an address has a subscription. */
export function recallDoubt(address: string): Problem | undefined {
	const doubt = doubts.get(address);
	return doubt && Date.now() - doubt.since < MAX_DOUBT ? doubt.problem : undefined;
}

function readSubscription(value: unknown): Subscription | undefined {
	if (!isObject(value) || !Array.isArray(value.events)) return undefined;
	const { id, address, path, events } = value;
	if (typeof id !== 'string' || typeof address !== 'string' || typeof path !== 'string') {
		return undefined;
	}
	return { id, address, path, events: events.map(String) };
}
