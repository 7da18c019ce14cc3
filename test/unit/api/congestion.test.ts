/** How many requests go at once, over a simulated network and service. */
import { forEachConcurrently } from '../../../nodes/MessagingService/api/concurrency';
import { CongestionWindow } from '../../../nodes/MessagingService/api/congestion';
import type { FailureReason, Outcome } from '../../../nodes/MessagingService/api/outcome';
import { VirtualClock } from '../helpers/virtualClock';

interface Network {
	/** Milliseconds that a request takes there and back. */
	latency: number;
	/** By how much of the latency it takes longer, at most. */
	jitter?: number;
	/** How many requests the service handles at a time; any number when left out. */
	workers?: number;
	/** What it does with those beyond: they wait for a worker, or get this status. */
	beyond?: 'wait' | number;
	/** Which part of the requests is lost, whatever else there is to do. */
	lost?: number;
	/** From this moment on it handles fewer. */
	later?: { at: number; workers: number };
}

interface Result {
	/** In round trips. */
	took: number;
	failed: number;
	/** The most that were under way. */
	most: number;
}

const MOST = 512;

function response(status: number): Outcome {
	return { kind: 'response', status, headers: {}, text: '' };
}

/** Numbers from 0 to 1, the same in each run. */
function random(): () => number {
	let state = 1;
	return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

async function send(count: number, network: Network): Promise<Result> {
	const { latency, jitter = 0.2, beyond = 'wait', later, lost = 0 } = network;
	const clock = new VirtualClock(0);
	const window = new CongestionWindow(() => clock.now());
	const luck = random();
	const queue: Array<() => void> = [];
	let busy = 0;
	let underWay = 0;
	const result = { took: 0, failed: 0, most: 0 };

	const workers = () =>
		later && clock.now() >= later.at ? later.workers : (network.workers ?? Infinity);

	async function serve(): Promise<Outcome> {
		if (busy >= workers()) {
			if (typeof beyond === 'number') {
				await clock.wait(latency);
				return response(beyond);
			}
			await new Promise<void>((resolve) => queue.push(resolve));
		}
		busy++;
		await clock.wait(latency * (1 + luck() * jitter));
		busy--;
		queue.shift()?.();
		return response(luck() < lost ? 502 : 202);
	}

	async function request(): Promise<boolean> {
		result.most = Math.max(result.most, ++underWay);
		const end = window.begin();
		const outcome = await serve();
		underWay--;
		end(outcome);
		if (outcome.kind === 'response' && outcome.status !== 202) result.failed++;
		return true;
	}

	await clock.run(forEachConcurrently(count, () => Math.min(window.size, MOST), request));
	result.took = clock.now() / latency;
	return result;
}

test.each([50, 200, 1_000])('doubles with each round trip of %i ms', async (latency) => {
	const { took, failed, most } = await send(1_000, { latency, jitter: 0 });
	// 32 + 64 + 128 + 256 + 512 and the rest.
	expect(took).toBe(6);
	expect(failed).toBe(0);
	expect(most).toBe(MOST);
});

test.each([0, 0.2, 1])('is not held up by a jitter of %f', async (jitter) => {
	const { took } = await send(1_000, { latency: 200, jitter });
	expect(took).toBeLessThan(6 * (1 + jitter) + 1);
});

test.each([
	{ workers: 20, latency: 50 },
	{ workers: 20, latency: 200 },
	{ workers: 100, latency: 200 },
])('does not pile up at a service that makes requests wait: %j', async ({ workers, latency }) => {
	const { took, most } = await send(5_000, { latency, workers });
	expect(most).toBeLessThan(5 * workers);
	// No worker is idle for long.
	expect(took).toBeLessThan(1.2 * (5_000 / workers) + 6);
});

test.each([50, 200])('does not overrun a service that refuses: %i ms', async (latency) => {
	for (const count of [1_000, 10_000]) {
		const { took, failed } = await send(count, { latency, workers: 20, beyond: 503 });
		expect(failed / count).toBeLessThan(0.02);
		expect(took).toBeLessThan(1.5 * (count / 20));
	}
});

test.each([
	{ lost: 0.002, roundTrips: 30 },
	{ lost: 0.01, roundTrips: 200 },
	{ lost: 0.05, roundTrips: 800 },
])('is not closed by losses that come by chance: $lost', async ({ lost, roundTrips }) => {
	const { took } = await send(5_000, { latency: 500, lost });
	expect(took).toBeLessThan(roundTrips);
});

test('keeps a service busy that also loses requests by chance', async () => {
	const { took } = await send(10_000, { latency: 200, workers: 20, beyond: 503, lost: 0.005 });
	expect(took).toBeLessThan(1.5 * (10_000 / 20));
});

test('goes back when the service can do less', async () => {
	const { failed } = await send(10_000, {
		latency: 50,
		workers: 200,
		beyond: 503,
		later: { at: 500, workers: 20 },
	});
	expect(failed).toBeLessThan(400);
});

describe('one window of requests', () => {
	const WINDOW = 32;

	/** The size after so many requests at once with this outcome each. */
	function after(...outcomes: Outcome[]): number {
		let now = 0;
		const window = new CongestionWindow(() => now);
		const ends = outcomes.map(() => window.begin());
		now = 100;
		ends.forEach((end, index) => end(outcomes[index] ?? response(202)));
		return window.size;
	}

	const times = (count: number, outcome: Outcome) => Array.from({ length: count }, () => outcome);
	const failure = (reason: FailureReason): Outcome => ({ kind: 'failure', reason, detail: '' });

	test('that is not made use of does not grow', () => {
		expect(after(...times(3, response(202)))).toBe(WINDOW);
		expect(after(...times(WINDOW / 2, response(202)))).toBe(WINDOW + 1);
	});

	test('does not grow with requests of which one goes at a time', () => {
		const window = new CongestionWindow(() => 0);
		for (let i = 0; i < 3 * WINDOW; i++) window.begin()(response(202));
		expect(window.size).toBe(WINDOW);
	});

	/** A window, and round trips with all that may go at once, of which the first so many are lost. */
	function inRoundTrips() {
		let now = 0;
		const window = new CongestionWindow(() => now);
		const round = (lost: number) => {
			const ends = Array.from({ length: window.size }, () => window.begin());
			now += 100;
			ends.forEach((end, index) => end(response(index < lost ? 503 : 202)));
			return ends.length;
		};
		return { window, round };
	}

	test('stays below the size at which something was lost, until 1,000 responses came', () => {
		const { window, round } = inRoundTrips();
		round(Infinity);
		for (let responses = 0; responses + window.size <= 1_000; ) responses += round(0);
		expect(window.size).toBe(30);
		for (let rounds = 0; rounds < 10; rounds++) round(0);
		expect(window.size).toBeGreaterThan(30);
	});

	test('stays below the first losses also where there are some in the next round trip', () => {
		const { window, round } = inRoundTrips();
		for (const lost of [1, 1, ...Array.from({ length: 10 }, () => 0)]) round(lost);
		expect(window.size).toBe(30);
	});

	test('is halved with each round trip in which all is lost', () => {
		const { window, round } = inRoundTrips();
		for (const size of [16, 8, 4, 2, 1, 1]) {
			round(Infinity);
			expect(window.size).toBe(size);
		}
	});

	test.each([
		[22, true],
		[23, false],
	])('grows with responses after %i ms where the shortest took one: %p', (latency, grows) => {
		let now = 0;
		const window = new CongestionWindow(() => now);
		const first = window.begin();
		now = 1;
		first(response(202));
		const ends = Array.from({ length: WINDOW }, () => window.begin());
		now += latency;
		for (const end of ends) end(response(202));
		expect(window.size > WINDOW).toBe(grows);
	});

	test('grows although a refusal was quicker than what is accepted', () => {
		let now = 0;
		const window = new CongestionWindow(() => now);
		window.begin()(response(300));
		const ends = Array.from({ length: WINDOW }, () => window.begin());
		now = 100;
		for (const end of ends) end(response(202));
		expect(window.size).toBeGreaterThan(WINDOW + 10);
	});

	test('that is answered grows, whatever the answer says of the request', () => {
		expect(after(...times(WINDOW, response(202)))).toBeGreaterThan(WINDOW + 10);
		expect(after(...times(WINDOW, response(400)))).toBeGreaterThan(WINDOW + 10);
	});

	test.each([
		response(408),
		response(429),
		response(499),
		response(500),
		response(503),
		failure('notSent'),
		failure('broken'),
		failure('timeout'),
		failure('tooSlow'),
	])('is halved once, however many are lost: %j', (loss) => {
		expect(after(...times(WINDOW, loss))).toBe(WINDOW / 2);
	});

	test.each([failure('cancelled'), failure('notStarted'), failure('tooLarge')])(
		'stays as it is when nothing is learned of the service: %j',
		(outcome) => {
			expect(after(...times(WINDOW, outcome))).toBe(WINDOW);
		},
	);

	test('is never closed', async () => {
		const { failed } = await send(50, { latency: 50, workers: 0, beyond: 503 });
		expect(failed).toBe(50);
	});
});
