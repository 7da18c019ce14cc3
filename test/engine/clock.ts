import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Clock } from '../../nodes/MessagingService/api/time';
import { systemClock } from '../../nodes/MessagingService/n8n/clock';

/** The node's pauses are made of sleeps that last so long at most, in milliseconds. */
const LONGEST_SLEEP = 1_000;
const CHANNEL = 'http.client.request.created';
/** In so many turns of Node.js's event loop the node begins something, unless it does nothing but pause. */
const TURNS = 10;

/** A pause of the node that has not ended yet. */
interface Pause {
	end: number;
	resolve(): void;
}

/** Work of a test at a moment when the node does nothing but pause. */
interface Work {
	isDue(): boolean;
	run(): Promise<void>;
}

/**
 * The time of the node in a test file. It passes as on the wall; in a hurry, it stands still while a request is under
 * way, and as soon as the node does nothing but pause, it jumps to the end of the next pause. So it does not matter how
 * long this machine takes for anything.
 */
export class EngineClock implements Clock {
	/** Whether the time jumps from pause to pause. */
	isInHurry = false;
	/** Which pauses, by their milliseconds, end only when the execution is cancelled; undefined for none. */
	isStopped?: (milliseconds: number) => boolean;
	/** How many pauses were stopped so far. */
	stoppedPauses = 0;
	private time = 0;
	private readonly pauses = new Set<Pause>();
	private readonly work: Work[] = [];
	private underWay = 0;
	/** How many pauses and requests have begun. */
	private begun = 0;
	private isPassing = false;
	/** When the last pause was broken off, by the wall clock. */
	private brokenOffAt = -Infinity;

	constructor() {
		subscribe(CHANNEL, this.notice);
	}

	/** Ends what it learns from requests. A pause that was broken off leaves a sleep, which keeps Jest from ending. */
	async close(): Promise<void> {
		unsubscribe(CHANNEL, this.notice);
		await sleep(Math.max(this.brokenOffAt + LONGEST_SLEEP - Date.now(), 0));
	}

	now(): number {
		return this.isInHurry ? this.time : systemClock.now();
	}

	async wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
		if (this.isStopped?.(milliseconds)) {
			this.stoppedPauses++;
			if (signal?.aborted) return;
			await new Promise((resolve) => signal?.addEventListener('abort', resolve));
			return;
		}
		if (!this.isInHurry || milliseconds <= 0) {
			await systemClock.wait(milliseconds, signal);
			if (signal?.aborted) this.brokenOffAt = Date.now();
			return;
		}
		if (signal?.aborted) return;
		await new Promise<void>((resolve) => {
			const pause = { end: this.time + milliseconds, resolve };
			this.begun++;
			this.pauses.add(pause);
			signal?.addEventListener('abort', () => {
				this.pauses.delete(pause);
				resolve();
			});
			void this.pass();
		});
	}

	/** Does work of a test when the node next does nothing but pause, and it is due. Time stands still meanwhile. */
	async whenPausing(run: () => unknown, isDue = () => true): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			this.work.push({
				isDue,
				run: async () => await Promise.resolve(run()).then(() => resolve(), reject),
			});
		});
	}

	private readonly notice = (message: unknown) => {
		const { request } = message as { request: ClientRequest };
		this.begun++;
		this.underWay++;
		request.once('close', () => this.underWay--);
	};

	/** Ends one pause after the other, as long as there are any. */
	private async pass(): Promise<void> {
		if (this.isPassing) return;
		this.isPassing = true;
		while (this.pauses.size > 0) {
			await this.stillness();
			const due = this.work.findIndex(({ isDue }) => isDue());
			if (due >= 0) await this.work.splice(due, 1)[0]?.run();
			else this.endNext();
		}
		this.isPassing = false;
	}

	/** Resolves when no request is under way and nothing has begun for some turns. */
	private async stillness(): Promise<void> {
		for (let turns = 0, before = this.begun; turns < TURNS; turns++) {
			await sleep(1);
			if (this.underWay > 0 || this.begun !== before) turns = 0;
			before = this.begun;
		}
	}

	private endNext(): void {
		const [next] = [...this.pauses].sort((a, b) => a.end - b.end);
		if (!next) return;
		this.pauses.delete(next);
		this.time = Math.max(this.time, next.end);
		next.resolve();
	}
}
