/** Timers that can be stopped all at once and keep no process alive. */
export interface Timers {
	after(ms: number, act: () => void): void;
	/** Resolves after a time, or never when stopped meanwhile. */
	pause(ms: number): Promise<void>;
	/** Nothing happens any more, not even what is asked for later. */
	stop(): void;
}

export function createTimers(): Timers {
	const timers = new Set<NodeJS.Timeout>();
	let stopped = false;
	const after: Timers['after'] = (ms, act) => {
		if (stopped) return;
		const timer = setTimeout(() => {
			timers.delete(timer);
			act();
		}, ms).unref();
		timers.add(timer);
	};
	return {
		after,
		pause: (ms) => new Promise((resolve) => after(ms, resolve)),
		stop() {
			stopped = true;
			timers.forEach(clearTimeout);
			timers.clear();
		},
	};
}
