/** Runs tasks in the order they come, at most so many at the same time. */
export interface Lane {
	run<Result>(task: () => Promise<Result>): Promise<Result>;
	/** Forgets the tasks that have not begun; their promises stay open. */
	clear(): void;
}

/** An empty lane. Its width may change meanwhile. */
export function createLane(width: () => number): Lane {
	const waiting: Array<() => Promise<void>> = [];
	let running = 0;

	const next = () => {
		while (running < width()) {
			const task = waiting.shift();
			if (task === undefined) return;
			running++;
			void task().then(() => {
				running--;
				next();
			});
		}
	};
	return {
		run: (task) =>
			new Promise((resolve, reject) => {
				waiting.push(() => task().then(resolve, reject));
				next();
			}),
		clear() {
			waiting.length = 0;
		},
	};
}
