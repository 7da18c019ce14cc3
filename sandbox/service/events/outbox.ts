import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { seeded } from '../identifiers.ts';
import type { Subscription, Team } from '../store.ts';
import type { EventSettings } from '../settings.ts';

/** The headers that prove where a delivery comes from. */
export const SECRET_HEADER = 'X-Webhook-Secret';
export const SIGNATURE_HEADER = 'X-Signature';

/** How often a delivery is tried again. */
const RETRIES = 3;
/** Pause before the first retry; it doubles with each. */
const RETRY_DELAY_MS = 500;
/** How long an answer may take. */
const TIMEOUT_MS = 10_000;

/** The stand-in's invented events go to this machine only. */
const ON_THIS_MACHINE = /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])[:/]/;
const NOT_THIS_MACHINE = 'not on this machine';

/** Something that happened in a team, for everyone who subscribed to it. */
export interface TeamEvent {
	team: Team;
	event: string;
	data: object;
}

/** One event on its way to one subscriber. */
export interface Delivery {
	url: string;
	state: 'pending' | 'delivered' | 'failed';
	/** What the receiver answered each time, or what went wrong. */
	attempts: Array<{ status: number | string }>;
}

/** Sends events and remembers what became of them. */
export interface Outbox {
	/** Starts the deliveries of an event, one for each subscriber and duplicate. */
	send(event: TeamEvent): void;
	/** In the order of the events. */
	deliveries(): readonly Delivery[];
	/** Resolves when no delivery is pending. */
	settled(): Promise<void>;
	/** Breaks off what is pending. */
	stop(): void;
}

/** An empty outbox. The settings are read whenever something is sent. */
export function createOutbox(settings: () => EventSettings): Outbox {
	const deliveries: Delivery[] = [];
	const pending = new Set<Promise<void>>();
	const stopped = new AbortController();
	const { signal } = stopped;

	/** Tries until it is taken. */
	const deliver = async (delivery: Delivery, body: string, secret?: string) => {
		while (delivery.state === 'pending') {
			const headers = proofOf(body, settings().signing, secret);
			const status = await post(delivery.url, { headers, body, signal });
			const tried = delivery.attempts.push({ status });
			if (isSuccess(status)) delivery.state = 'delivered';
			else if (!isRepeatable(status) || tried > RETRIES) delivery.state = 'failed';
			else await sleep(RETRY_DELAY_MS * 2 ** (tried - 1), undefined, { signal, ref: false });
		}
	};

	return {
		send(event) {
			const { subscriptions, duplicates } = settings();
			for (const { url, secret } of subscribersOf(event, subscriptions)) {
				const body = bodyOf(event);
				for (let time = 0; time <= duplicates; time++) {
					const delivery: Delivery = { url, state: 'pending', attempts: [] };
					deliveries.push(delivery);
					const over = deliver(delivery, body, secret)
						// It was stopped.
						.catch(() => undefined)
						.finally(() => pending.delete(over));
					pending.add(over);
				}
			}
		},
		deliveries: () => deliveries,
		async settled() {
			while (pending.size > 0) await Promise.all(pending);
		},
		stop: () => stopped.abort(),
	};
}

/** Those who subscribed to an event, and those whom the settings name. */
function subscribersOf(
	{ team, event }: TeamEvent,
	fixed: EventSettings['subscriptions'],
): Array<Omit<Subscription, 'id'>> {
	const named = team.apiKey === seeded.demo.apiKey ? fixed : [];
	return [
		...named.map(({ url, events = [] }) => ({ url, events })),
		...team.subscriptions.values(),
	].filter(({ events }) => events.length === 0 || events.includes(event));
}

function bodyOf({ event, data }: TeamEvent): string {
	return JSON.stringify({ id: randomUUID(), event, created: new Date().toISOString(), data });
}

function proofOf(
	body: string,
	signing: EventSettings['signing'],
	secret = signing.secret,
): Record<string, string> {
	switch (signing.kind) {
		case 'none':
			return {};
		case 'sharedSecret':
			return { [SECRET_HEADER]: secret };
		case 'signature':
			return { [SIGNATURE_HEADER]: createHmac('sha256', secret).update(body).digest('hex') };
	}
}

/** Posts JSON, and gives the receiver's status, or what went wrong. */
async function post(
	address: string,
	{ headers, body, signal }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<number | string> {
	if (!ON_THIS_MACHINE.test(address)) return NOT_THIS_MACHINE;
	try {
		const response = await fetch(address, {
			method: 'POST',
			redirect: 'manual',
			headers: { 'content-type': 'application/json', ...headers },
			body,
			signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
		});
		await response.arrayBuffer();
		return response.status;
	} catch (error) {
		return String(error);
	}
}

function isSuccess(status: number | string): boolean {
	return typeof status === 'number' && status >= 200 && status < 300;
}

/** Most refusals are final. But n8n itself answers 404 as long as it starts. */
function isRepeatable(status: number | string): boolean {
	if (typeof status === 'string') return status !== NOT_THIS_MACHINE;
	return status === 404 || status === 429 || status >= 500;
}
