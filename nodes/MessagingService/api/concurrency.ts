/**
 * Does work for the indexes from 0 on, with a bounded number under way at once. When work returns false,
 * nothing more is begun; what is under way is awaited. The work itself must not throw.
 */
export async function forEachConcurrently(
	count: number,
	width: number,
	work: (index: number) => Promise<boolean>,
): Promise<void> {
	let next = 0;
	let goOn = true;
	const worker = async () => {
		while (goOn && next < count) goOn = (await work(next++)) && goOn;
	};
	await Promise.all(Array.from({ length: Math.min(width, count) }, worker));
}
