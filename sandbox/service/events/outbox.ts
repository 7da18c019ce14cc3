import { Agent } from 'node:http';

import { createTimers, type Timers } from '../timers.ts';
import { pack, type Attempt, type Delivery, type Parcel } from './delivery.ts';
import type { TeamEvent } from './event.ts';
import { createLane, type Lane } from './lane.ts';
import { codeOf, isOnThisMachine, post } from './post.ts';
import type { EventSettings } from './settings.ts';
import { sign } from './signing.ts';

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
	const agent = new Agent({ keepAlive: true });
	const timers = createTimers();
	const turnInReverse = createReverser(timers);
	const mainLane = createLane(() => settings().delivery.connections);
	const lanes = new Set([mainLane]);
	const deliveries: Delivery[] = [];
	const pending = new Set<Promise<void>>();
	const stop = Promise.withResolvers<undefined>();
	let stopped = false;

	const deliver = async (parcel: Parcel, lane: Lane) => {
		const { delivery, misbehaviour } = parcel;
		if (misbehaviour.delayMs > 0) await timers.pause(misbehaviour.delayMs);
		if (misbehaviour.reverse > 1) await turnInReverse(misbehaviour.reverse);
		for (;;) {
			const attempt = await lane.run(() => tryOnce(parcel, agent, settings()));
			const tried = delivery.attempts.push(attempt);
			const { retries, retryDelayMs } = settings().delivery;
			if (isSuccess(attempt.status)) delivery.state = 'delivered';
			else if (!isRepeatable(attempt.status) || tried > retries) delivery.state = 'failed';
			if (delivery.state !== 'pending') return;
			await timers.pause(retryDelayMs * 2 ** (tried - 1));
		}
	};

	return {
		send(event) {
			if (stopped) return [];
			const { connections } = event;
			const lane = connections === undefined ? mainLane : createLane(() => connections);
			lanes.add(lane);
			return pack(event, settings()).map((parcel) => {
				const { delivery } = parcel;
				deliveries.push(delivery);
				const delivered = deliver(parcel, lane).finally(() => pending.delete(delivered));
				pending.add(delivered);
				return delivery;
			});
		},
		deliveries: () => deliveries,
		async settled() {
			while (pending.size > 0) await Promise.race([stop.promise, Promise.all(pending)]);
		},
		stop() {
			stopped = true;
			timers.stop();
			for (const lane of lanes) lane.clear();
			agent.destroy();
			pending.clear();
			stop.resolve(undefined);
		},
	};
}

/** Gives the receiver's status, or the code of what went wrong. */
async function tryOnce(
	{ delivery, body, headers, secret, misbehaviour }: Parcel,
	agent: Agent,
	{ signing, delivery: { timeoutMs } }: EventSettings,
): Promise<Attempt> {
	const time = Date.now();
	try {
		const url = new URL(delivery.url);
		if (!isOnThisMachine(url)) return { time, status: notThisMachine };
		const unsigned = { body, secret: secret ?? signing.secret, now: time, misbehaviour };
		const proof = sign(unsigned, signing);
		for (const [name, value] of Object.entries(proof.query)) url.searchParams.set(name, value);
		const headersOfAll = { ...proof.headers, ...headers };
		return { time, status: await post(url, { agent, body, timeoutMs, headers: headersOfAll }) };
	} catch (error) {
		return { time, status: codeOf(error) };
	}
}

const notThisMachine = 'notThisMachine';

function isSuccess(status: Attempt['status']): boolean {
	return typeof status === 'number' && status >= 200 && status < 300;
}

/** Most refusals are final. But n8n itself answers 404 as long as it starts. */
function isRepeatable(status: Attempt['status']): boolean {
	if (typeof status === 'string') return status !== notThisMachine;
	return status === 404 || status === 429 || status >= 500;
}

/** What waits to be reversed waits no longer than this. */
const longestWaitMs = 1000;

/** Holds callers back until there are so many, and lets them go on newest first. */
function createReverser(timers: Timers): (batch: number) => Promise<void> {
	const held: Array<() => void> = [];
	const release = () => {
		const batch = held.splice(0).reverse();
		// The last has yet to wait for what it is given.
		queueMicrotask(() => batch.forEach((goOn) => goOn()));
	};
	return (batch) =>
		new Promise((resolve) => {
			held.push(resolve);
			if (held.length >= batch) release();
			// A batch that begins later meanwhile is released with this one, which does no harm.
			else if (held.length === 1) timers.after(longestWaitMs, release);
		});
}
