import { createHmac, randomUUID } from 'node:crypto';
import { Agent } from 'node:http';

import { seeded } from '../identifiers.ts';
import type { Subscription, Team } from '../store.ts';
import { createTimers } from '../timers.ts';
import { codeOf, isOnThisMachine, post } from './post.ts';
import type { EventSettings, Signing } from './settings.ts';

/** The headers that prove where a delivery comes from. */
export const SECRET_HEADER = 'X-Webhook-Secret';
export const SIGNATURE_HEADER = 'X-Signature';

/** How often a delivery is tried again. */
const RETRIES = 3;
/** Pause before the first retry; it doubles with each. */
const RETRY_DELAY_MS = 500;
/** How many deliveries are on their way at the same time. */
const CONNECTIONS = 20;
/** How long an answer may take. */
const TIMEOUT_MS = 10_000;

/** Something that happened in a team, for everyone who subscribed to it. */
export interface TeamEvent {
	team: Team;
	event: string;
	data: object;
	/** The whole body instead of the usual one. */
	body?: unknown;
}

interface Attempt {
	/** Milliseconds since 1970. */
	time: number;
	/** The receiver's status, or the code of what went wrong, such as `ECONNREFUSED`. */
	status: number | string;
}

/** One event on its way to one subscriber. */
export interface Delivery {
	id: string;
	event: string;
	url: string;
	/** ID of the team. */
	team: string;
	state: 'pending' | 'delivered' | 'failed';
	attempts: Attempt[];
}

/** Who gets an event. */
type Subscriber = Omit<Subscription, 'id'>;

/** Sends events and remembers what became of them. */
export interface Outbox {
	/** Starts the deliveries of an event, one for each subscriber and duplicate. */
	send(event: TeamEvent): Delivery[];
	/** In the order of the events. */
	deliveries(): readonly Delivery[];
	/** Resolves when no delivery is pending. */
	settled(): Promise<void>;
	/** Forgets what is pending and closes the connections; nothing can be sent afterwards. */
	stop(): void;
}

/** An empty outbox. The settings are read whenever something is sent. */
export function createOutbox(settings: () => EventSettings): Outbox {
	const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
	const timers = createTimers();
	const deliveries: Delivery[] = [];
	const pending = new Set<Promise<void>>();
	const stop = Promise.withResolvers<undefined>();
	let stopped = false;

	/** Tries until it is taken. Network errors, 404, 429 and 5xx are tried again, nothing else. */
	const deliver = async (delivery: Delivery, body: string, secret?: string) => {
		while (delivery.state === 'pending') {
			const time = Date.now();
			const headers = proofOf(body, settings().signing, secret);
			const status = await tryOnce(delivery.url, { agent, body, headers });
			const tried = delivery.attempts.push({ time, status });
			if (isSuccess(status)) delivery.state = 'delivered';
			else if (!isRepeatable(status) || tried > RETRIES) delivery.state = 'failed';
			else await timers.pause(RETRY_DELAY_MS * 2 ** (tried - 1));
		}
	};

	return {
		send(event) {
			if (stopped) return [];
			const { subscriptions, duplicates } = settings();
			return subscribersOf(event, subscriptions).flatMap(({ url, secret }) => {
				const id = randomUUID();
				const body = bodyOf(event, id);
				return Array.from({ length: duplicates + 1 }, () => {
					const heading = { id, event: event.event, url, team: event.team.id };
					const delivery: Delivery = { ...heading, state: 'pending', attempts: [] };
					deliveries.push(delivery);
					const delivered = deliver(delivery, body, secret).finally(() =>
						pending.delete(delivered),
					);
					pending.add(delivered);
					return delivery;
				});
			});
		},
		deliveries: () => deliveries,
		async settled() {
			while (pending.size > 0) await Promise.race([stop.promise, Promise.all(pending)]);
		},
		stop() {
			stopped = true;
			timers.stop();
			agent.destroy();
			pending.clear();
			stop.resolve(undefined);
		},
	};
}

/** Those who subscribed to an event, and those whom the settings name. */
function subscribersOf(
	{ team, event }: TeamEvent,
	fixed: EventSettings['subscriptions'],
): Subscriber[] {
	const named = team.apiKey === seeded.demo.apiKey ? fixed : [];
	return [
		...named.map(({ url, events = [] }) => ({ url, events })),
		...team.subscriptions.values(),
	].filter(({ events }) => events.length === 0 || events.includes(event));
}

function bodyOf({ event, data, body }: TeamEvent, id: string): string {
	return JSON.stringify(body ?? { id, event, created: new Date().toISOString(), data });
}

function proofOf(body: string, signing: Signing, secret = signing.secret): Record<string, string> {
	switch (signing.kind) {
		case 'none':
			return {};
		case 'sharedSecret':
			return { [SECRET_HEADER]: secret };
		case 'signature':
			return { [SIGNATURE_HEADER]: createHmac('sha256', secret).update(body).digest('hex') };
	}
}

const NOT_THIS_MACHINE = 'notThisMachine';

/** Gives the receiver's status, or the code of what went wrong. */
async function tryOnce(
	address: string,
	request: { agent: Agent; body: string; headers: Record<string, string> },
): Promise<Attempt['status']> {
	try {
		const url = new URL(address);
		if (!isOnThisMachine(url)) return NOT_THIS_MACHINE;
		return await post(url, { ...request, timeoutMs: TIMEOUT_MS });
	} catch (error) {
		return codeOf(error);
	}
}

function isSuccess(status: Attempt['status']): boolean {
	return typeof status === 'number' && status >= 200 && status < 300;
}

/** Most refusals are final. But n8n itself answers 404 as long as it starts. */
function isRepeatable(status: Attempt['status']): boolean {
	if (typeof status === 'string') return status !== NOT_THIS_MACHINE;
	return status === 404 || status === 429 || status >= 500;
}
