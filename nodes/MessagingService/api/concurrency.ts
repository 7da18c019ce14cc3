/** Makes a queue: the work that it is given goes one after the other, in the order in which it came. */
export function inTurn(): <Result>(work: () => Promise<Result>) => Promise<Result> {
	let last: Promise<unknown> = Promise.resolve();
	return async (work) => {
		const turn = last.then(work);
		last = turn.catch(() => {});
		return await turn;
	};
}

/**
 * Does work for the indexes from 0 on, with a bounded number under way at once. When work resolves to false,
 * nothing more is begun; what is under way is awaited. The work itself must not reject.
 *
 * @param width how many may be under way; asked for again whenever one ends
 */
export async function forEachConcurrently(
	count: number,
	width: () => number,
	work: (index: number) => Promise<boolean>,
): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		let next = 0;
		let underWay = 0;
		let goOn = true;
		const begin = () => {
			while (goOn && next < count && underWay < Math.max(width(), 1)) {
				underWay++;
				work(next++).then((result) => {
					underWay--;
					goOn = goOn && result;
					begin();
				}, reject);
			}
			if (underWay === 0) resolve();
		};
		begin();
	});
}
