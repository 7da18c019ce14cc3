import { systemClock } from '../systemClock';

/** After this many pieces of work have begun, everything else in the process gets its turn. */
const YIELD_AFTER = 50;

/** Limits how many pieces of work run at once; the others wait for their turn, in their order. */
export class Semaphore {
	/** How many may be under way; asked for again whenever one begins or ends. */
	private readonly width: () => number;
	private readonly waiting: Array<() => void> = [];
	private underWay = 0;
	private begun = 0;

	constructor(width: () => number) {
		this.width = width;
	}

	async run<Result>(work: () => Promise<Result>): Promise<Result> {
		await new Promise<void>((begin) => {
			this.waiting.push(begin);
			this.letIn();
		});
		// A timer, since promises alone never let the event loop go on.
		if (++this.begun % YIELD_AFTER === 0) await systemClock.wait(0);
		try {
			return await work();
		} finally {
			this.underWay--;
			this.letIn();
		}
	}

	private letIn(): void {
		while (this.waiting.length > 0 && this.underWay < Math.max(this.width(), 1)) {
			this.underWay++;
			this.waiting.shift()?.();
		}
	}
}
