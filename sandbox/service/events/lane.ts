/** Runs tasks in the order they come, at most so many at the same time. The width may change meanwhile. */
export function createLane(width: () => number): (task: () => Promise<void>) => void {
	const waiting: Array<() => Promise<void>> = [];
	let running = 0;

	const next = () => {
		while (running < width()) {
			const task = waiting.shift();
			if (task === undefined) return;
			running++;
			void task().finally(() => {
				running--;
				next();
			});
		}
	};
	return (task) => {
		waiting.push(task);
		next();
	};
}
