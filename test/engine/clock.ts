import type { Clock } from '../../nodes/MessagingService/api/time';
import { systemClock } from '../../nodes/MessagingService/n8n/clock';

/** The time of the node in a test file: it may pass faster than on the wall, and pauses may be stopped. */
export class EngineClock implements Clock {
	/** How many times as fast as on the wall pauses pass. With more than one, the clock goes on by them alone. */
	speed = 1;
	/** Which pauses, by their milliseconds, end only when the execution is cancelled; undefined for none. */
	isStopped?: (milliseconds: number) => boolean;
	/** How many pauses were stopped so far. */
	stoppedPauses = 0;
	private time = 0;

	now(): number {
		return this.speed === 1 ? systemClock.now() : this.time;
	}

	async wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
		if (this.isStopped?.(milliseconds)) {
			this.stoppedPauses++;
			if (signal?.aborted) return;
			await new Promise((resolve) => signal?.addEventListener('abort', resolve));
			return;
		}
		const end = this.time + milliseconds;
		await systemClock.wait(milliseconds / this.speed, signal);
		if (!signal?.aborted) this.time = Math.max(this.time, end);
	}
}
