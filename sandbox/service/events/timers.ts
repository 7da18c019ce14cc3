/** Timers that can be stopped all at once and keep no process alive. */
export interface Timers {
	after(ms: number, act: () => void): void;
	stop(): void;
}

export function createTimers(): Timers {
	const timers = new Set<NodeJS.Timeout>();
	return {
		after(ms, act) {
			const timer = setTimeout(() => {
				timers.delete(timer);
				act();
			}, ms).unref();
			timers.add(timer);
		},
		stop() {
			timers.forEach(clearTimeout);
			timers.clear();
		},
	};
}
