import { Agent } from 'node:http';

import { pack } from './delivery.ts';
import type { Delivery, Parcel } from './delivery.ts';
import type { TeamEvent } from './event.ts';
import { createLane } from './lane.ts';
import { codeOf, isOnThisMachine, post } from './post.ts';
import { createReverser } from './reverser.ts';
import type { EventSettings } from './settings.ts';
import { sign } from './signing.ts';
import { createTimers } from './timers.ts';

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

/** A parcel and the lane in which it goes. */
interface Dispatch {
	parcel: Parcel;
	lane: ReturnType<typeof createLane>;
}

/** An empty outbox. The settings are read whenever something is sent. */
export function createOutbox(settings: () => EventSettings): Outbox {
	const agent = new Agent({ keepAlive: true });
	const timers = createTimers();
	const deliveries: Delivery[] = [];
	const mainLane = createLane(() => settings().delivery.connections);
	const waiting: Array<() => void> = [];
	let pending = 0;
	let stopped = false;

	const wakeWaiting = () => {
		for (const wake of waiting.splice(0)) wake();
	};
	const finish = (delivery: Delivery, state: Delivery['state']) => {
		delivery.state = state;
		pending--;
		if (pending === 0) wakeWaiting();
	};
	const attempt = async (dispatch: Dispatch) => {
		if (stopped) return;
		const { delivery } = dispatch.parcel;
		const { retries, retryDelayMs } = settings().delivery;
		const time = Date.now();
		const status = await tryOnce(dispatch.parcel, agent, settings());
		if (stopped) return;
		const tried = delivery.attempts.push({ time, status });
		if (isSuccess(status)) return finish(delivery, 'delivered');
		if (!isRepeatable(status) || tried > retries) return finish(delivery, 'failed');
		timers.after(retryDelayMs * 2 ** (tried - 1), () => queue(dispatch));
	};
	const queue = (dispatch: Dispatch) => dispatch.lane(() => attempt(dispatch));
	const reverse = createReverser(timers, queue);
	const start = (dispatch: Dispatch) => {
		const batch = dispatch.parcel.misbehaviour.reverse;
		if (batch < 2) queue(dispatch);
		else reverse(dispatch, batch);
	};

	return {
		send(event) {
			if (stopped) return [];
			const { connections } = event;
			const lane = connections === undefined ? mainLane : createLane(() => connections);
			const parcels = pack(event, settings());
			for (const { delivery } of parcels) deliveries.push(delivery);
			pending += parcels.length;
			for (const parcel of parcels) {
				const { delayMs } = parcel.misbehaviour;
				if (delayMs === 0) start({ parcel, lane });
				else timers.after(delayMs, () => start({ parcel, lane }));
			}
			return parcels.map(({ delivery }) => delivery);
		},
		deliveries: () => deliveries,
		settled: () =>
			pending === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
		stop() {
			stopped = true;
			timers.stop();
			agent.destroy();
			wakeWaiting();
		},
	};
}

/** Gives the receiver's status, or the code of what went wrong. */
async function tryOnce(
	{ delivery, body, headers, secret, misbehaviour }: Parcel,
	agent: Agent,
	{ signing, delivery: { timeoutMs } }: EventSettings,
): Promise<number | string> {
	try {
		const url = new URL(delivery.url);
		if (!isOnThisMachine(url)) return notThisMachine;
		const unsigned = { body, secret: secret ?? signing.secret, now: Date.now(), misbehaviour };
		const proof = sign(unsigned, signing);
		for (const [name, value] of Object.entries(proof.query)) url.searchParams.set(name, value);
		return await post(url, { agent, body, timeoutMs, headers: { ...proof.headers, ...headers } });
	} catch (error) {
		return codeOf(error);
	}
}

const notThisMachine = 'notThisMachine';

function isSuccess(status: number | string): boolean {
	return typeof status === 'number' && status >= 200 && status < 300;
}

/** Most refusals are final. But n8n itself answers 404 as long as it starts. */
function isRepeatable(status: number | string): boolean {
	if (typeof status === 'string') return status !== notThisMachine;
	return status === 404 || status === 429 || status >= 500;
}
