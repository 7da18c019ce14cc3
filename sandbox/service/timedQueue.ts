/** Items that are due later, in one queue with one timer: thousands a second would be as many timers. */
export interface TimedQueue<Item> {
	push(item: Item, delayMs: number): void;
	/** Number of items that are not due yet. */
	pending(): number;
	/** Forgets the items that are still to come. */
	stop(): void;
}

/** An empty queue. Items are worked on in their order, so none before those pushed earlier. */
export function createTimedQueue<Item>(work: (item: Item) => void): TimedQueue<Item> {
	const queue: Array<{ due: number; item: Item }> = [];
	let timer: NodeJS.Timeout | undefined;

	const workOff = () => {
		timer = undefined;
		const now = Date.now();
		const firstLater = queue.findIndex(({ due }) => due > now);
		const due = queue.splice(0, firstLater === -1 ? queue.length : firstLater);
		for (const { item } of due) work(item);
		schedule();
	};
	const schedule = () => {
		const [first] = queue;
		if (first === undefined || timer !== undefined) return;
		timer = setTimeout(workOff, Math.max(1, first.due - Date.now())).unref();
	};

	return {
		push(item, delayMs) {
			queue.push({ due: Date.now() + delayMs, item });
			schedule();
		},
		pending: () => queue.length,
		stop() {
			clearTimeout(timer);
			timer = undefined;
			queue.length = 0;
		},
	};
}
