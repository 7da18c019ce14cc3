/** A deployment, and what it has to do in its busiest hour. */
export interface Deployment {
	teams: number;
	/** Leads of an average team; a few have many more, most have fewer. */
	leadsPerTeam: number;
	/** Minutes within which the runs of all teams begin. */
	startsWithin: number;
	workers: number;
	/** Executions that a worker runs at once. */
	slots: number;
	/** Webhook calls that the processor of one worker can make per second. */
	callsPerSecond: number;
	/** Calls that the service takes from a team within 60 seconds. */
	limit: number;
}

/** What came of it. Times are in seconds. */
export interface Outcome {
	calls: number;
	/** How much longer a run took than its team's limit makes it take. */
	delay: { median: number; p95: number };
	/** When the last run ended. */
	finished: number;
	/** The most runs that waited for a free slot at the same time. */
	mostWaiting: number;
	/** Part of the workers' processors that was in use on the way. */
	load: number;
}

const WINDOW = 60;
/** Width of the distribution of leads over teams (the sigma of a log-normal one). */
const SPREAD = 1;

/** One team's run through its leads. It keeps its slot to the end, also while it waits for the limit. */
class Run {
	readonly begins: number;
	private readonly calls: number;
	private readonly limit: number;
	private made = 0;
	private startedAt?: number;

	constructor(begins: number, calls: number, limit: number) {
		this.begins = begins;
		this.calls = calls;
		this.limit = limit;
	}

	get left(): number {
		return this.calls - this.made;
	}

	/** How many calls the limit lets it make now. */
	allowance(now: number): number {
		this.startedAt ??= now;
		const windows = Math.floor((now - this.startedAt) / WINDOW) + 1;
		return Math.min(this.left, windows * this.limit - this.made);
	}

	make(calls: number): void {
		this.made += calls;
	}

	/** How much later than the limit alone would have it. */
	delay(now: number): number {
		const least = Math.floor((this.calls - 1) / this.limit) * WINDOW + 1;
		return Math.max(0, now - this.begins - least);
	}
}

/** Simulates the hour, second by second. The same random numbers give the same hour. */
export function simulate(deployment: Deployment, random: () => number): Outcome {
	const { workers, slots, callsPerSecond } = deployment;
	const runs = makeRuns(deployment, random);
	const calls = runs.reduce((sum, { left }) => sum + left, 0);
	const busy = Array.from({ length: workers }, (): Run[] => []);
	const delays: number[] = [];
	let [now, begun, mostWaiting] = [0, 0, 0];
	let waiting: Run[] = [];
	while (delays.length < runs.length) {
		const next = runs.findIndex(({ begins }, index) => index >= begun && begins > now);
		waiting.push(...runs.slice(begun, next === -1 ? undefined : next));
		begun = next === -1 ? runs.length : next;
		waiting = assign(waiting, busy, slots);
		mostWaiting = Math.max(mostWaiting, waiting.length);
		for (const [index, mine] of busy.entries()) {
			work(mine, now, callsPerSecond);
			delays.push(...mine.filter(({ left }) => left === 0).map((run) => run.delay(now + 1)));
			busy[index] = mine.filter(({ left }) => left > 0);
		}
		now++;
	}
	const sorted = delays.toSorted((a, b) => a - b);
	const quantile = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
	return {
		calls,
		delay: { median: quantile(0.5), p95: quantile(0.95) },
		finished: now,
		mostWaiting,
		load: calls / (now * workers * callsPerSecond),
	};
}

function makeRuns({ teams, leadsPerTeam, startsWithin, limit }: Deployment, random: () => number) {
	return Array.from({ length: teams }, () => {
		const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
		const leads = leadsPerTeam * Math.exp(SPREAD * normal - SPREAD ** 2 / 2);
		const begins = Math.floor(random() * startsWithin * 60);
		return new Run(begins, Math.max(1, Math.round(leads)), limit);
	}).toSorted((a, b) => a.begins - b.begins);
}

/** Gives waiting runs to the workers with the most free slots; returns those that have to wait on. */
function assign(waiting: Run[], busy: Run[][], slots: number): Run[] {
	const free = busy
		.flatMap((mine) => Array.from({ length: slots - mine.length }, (_, nth) => ({ mine, nth })))
		.toSorted((a, b) => a.mine.length + a.nth - (b.mine.length + b.nth));
	for (const [index, { mine }] of free.entries()) {
		const run = waiting[index];
		if (run) mine.push(run);
	}
	return waiting.slice(free.length);
}

/** One second of a worker: its processor is shared out evenly among the runs that may call. */
function work(runs: Run[], now: number, callsPerSecond: number): void {
	let left = callsPerSecond;
	const ready = runs
		.map((run) => ({ run, allowance: run.allowance(now) }))
		.toSorted((a, b) => a.allowance - b.allowance);
	for (const [index, { run, allowance }] of ready.entries()) {
		const calls = Math.min(allowance, Math.floor(left / (ready.length - index)));
		run.make(calls);
		left -= calls;
	}
}
