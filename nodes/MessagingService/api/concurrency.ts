import type { TimeSlices } from './timeSlices';

/** Makes a queue that does the work it is given one piece after the other, in the order in which it came. */
export function serialQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
	let last: Promise<unknown> = Promise.resolve();
	return async (work) => {
		const turn = last.then(work);
		last = turn.catch(() => {});
		return await turn;
	};
}

/**
 * Does work for the indexes from 0 on, with a bounded number under way at once. When work resolves to false,
 * nothing more is begun; what is under way is awaited. The same goes for work that rejects: its error is thrown then.
 *
 * @param width how many may be under way; asked for again whenever one ends
 * @param slices divides the beginning of work, so that it does not hold up everything else in the process
 * @param onAllBegun called when nothing more is going to begin
 */
export async function forEachConcurrently(
	count: number,
	width: () => number,
	work: (index: number) => Promise<boolean>,
	{ slices, onAllBegun }: { slices?: TimeSlices; onAllBegun?: () => void } = {},
): Promise<void> {
	let underWay = 0;
	let goOn = true;
	let failure: { cause: unknown } | undefined;
	let wake = () => {};
	const oneEnds = async () => await new Promise<void>((resolve) => (wake = resolve));
	const begin = async (index: number) => {
		underWay++;
		try {
			goOn = (await work(index)) && goOn;
		} catch (cause) {
			failure ??= { cause };
			goOn = false;
		}
		underWay--;
		wake();
	};
	for (let next = 0; goOn && next < count; ) {
		if (underWay >= Math.max(width(), 1)) await oneEnds();
		else {
			void begin(next++);
			// What is begun in one slice is begun at the same moment, so that it can be gathered.
			const pause = slices?.next();
			if (pause) await pause;
		}
	}
	onAllBegun?.();
	while (underWay > 0) await oneEnds();
	if (failure) throw failure.cause;
}
