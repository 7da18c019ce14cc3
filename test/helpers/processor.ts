/** Time of the processor: what a piece of work costs, whatever else keeps the machine busy. */

/** What the reference takes on a slow machine, in milliseconds. */
const REFERENCE_MS = 300;

/** Milliseconds of processor time that this process has spent since a measurement began. */
export function startProcessorTime(): () => number {
	const before = process.cpuUsage();
	return () => {
		const { user, system } = process.cpuUsage(before);
		return (user + system) / 1_000;
	};
}

/** Parses a long list, as answers are, and files its entries by their IDs. */
function reference(): number {
	const spent = startProcessorTime();
	const list = Array.from({ length: 200_000 }, (_, id) => ({ id, name: 'n' }));
	const parsed: { id: number }[] = JSON.parse(JSON.stringify(list));
	new Map(parsed.map((entry) => [String(entry.id), entry]));
	return spent();
}

/** A limit of processor time, given for a slow machine, as it is on one that is slower still. */
export function onThisMachine(limitMs: number): number {
	const took = Math.min(reference(), reference());
	return limitMs * Math.max(1, took / REFERENCE_MS);
}
