/** How many calls of a run are under way at once, and what becomes of them when the service does not answer. */
import { pacerOf } from '../../../nodes/MessagingService/api/pacer';
import {
	type Answer,
	type ApiRequest,
	noResponse,
	type FailedOutcome,
	RequestFailure,
} from '../../../nodes/MessagingService/api/request';
import { clientOf, response } from '../helpers/api';
import { VirtualClock } from '../helpers/virtualClock';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const WRITE: ApiRequest = {
	method: 'POST',
	path: '/public/x',
	body: {},
	repeat: 'ifRefused',
	isExpected: ({ status }) => status === 202,
};
const FINE = response(202);

interface Setting {
	/** Milliseconds until the service answers, and its answer, by the number of the call and when it began. */
	answer(call: number, now: number): [milliseconds: number, Answer];
	concurrency?: number;
	timeout?: number;
	maxRetries?: number;
	/** Paces the calls. */
	requestsPerMinute?: number;
}

/** A run that makes so many calls, all at the same time. */
function runOf(
	count: number,
	{ answer, concurrency, timeout = MINUTE, maxRetries = 5, requestsPerMinute }: Setting,
) {
	const clock = new VirtualClock(0);
	const controller = new AbortController();
	const begun: number[] = [];
	const client = clientOf(
		async () => {
			const [milliseconds, result] = answer(begun.length, clock.now());
			begun.push(clock.now());
			await clock.wait(milliseconds);
			return result;
		},
		clock,
		{
			transport: { timeout, maxRetries, requestsPerMinute },
			concurrency,
			signal: controller.signal,
		},
	);
	const request = { ...WRITE, paced: requestsPerMinute !== undefined };
	const call = async () =>
		await client.send(request).then(
			() => 'accepted' as const,
			(error: unknown): FailedOutcome | undefined =>
				error instanceof RequestFailure ? error.outcome : undefined,
		);
	return {
		clock,
		team: client.account.team,
		controller,
		begun,
		outcomes: async () =>
			countOf(await clock.run(Promise.all(Array.from({ length: count }, call)))),
	};
}

function countOf(outcomes: Array<string | undefined>): Record<string, number> {
	const names = [...new Set(outcomes)].map(String);
	return Object.fromEntries(
		names.map((name) => [name, outcomes.filter((outcome) => outcome === name).length]),
	);
}

test('a call that waits for its next try leaves its place to another one', async () => {
	const run = runOf(2, {
		answer: (call) => [1, call === 0 ? noResponse('notSent') : FINE],
		concurrency: 1,
	});
	expect(await run.outcomes()).toEqual({ accepted: 2 });
	// The second one did not wait for the first, which came again later.
	expect(run.begun.slice(0, 2)).toEqual([0, 1]);
	expect(run.begun[2]).toBeGreaterThan(1);
});

test('one call that the service fails slows down no other', async () => {
	const run = runOf(1_000, {
		answer: (call) => [50, call % 10 === 0 ? response(500) : FINE],
		maxRetries: 0,
	});
	expect(await run.outcomes()).toEqual({ accepted: 900, unknown: 100 });
	expect(run.clock.now()).toBe(5 * 50);
});

describe('a service that never answers', () => {
	test('leaves no more than 200 calls in doubt, and ends the run after two minutes', async () => {
		const run = runOf(3_000, { answer: () => [MINUTE, noResponse('timeout')] });
		expect(await run.outcomes()).toEqual({ unknown: 200, refused: 2_800 });
		expect(run.clock.now()).toBeLessThanOrEqual(2 * MINUTE + SECOND);
	});

	test('has twice the timeout, where that is longer', async () => {
		const timeout = 5 * MINUTE;
		const run = runOf(250, { answer: () => [timeout, noResponse('timeout')], timeout });
		expect(await run.outcomes()).toEqual({ unknown: 200, refused: 50 });
		expect(run.clock.now()).toBeGreaterThanOrEqual(10 * MINUTE);
	});
});

test.each([
	['a server error', response(500)],
	['an error of a gateway', response(504)],
	['a login page', response(200, '<html>')],
])('%s for every call leaves no more than 200 calls in doubt', async (_, answer) => {
	const run = runOf(3_000, { answer: () => [50, answer] });
	expect(await run.outcomes()).toEqual({ unknown: 200, refused: 2_800 });
	expect(run.clock.now()).toBeLessThanOrEqual(2 * MINUTE + SECOND);
});

describe('in the middle of a run, a service', () => {
	const BEGINS = 100;
	const lostWays: Array<[what: string, milliseconds: number, Answer]> = [
		['that answers nothing', MINUTE, noResponse('timeout')],
		['that breaks off every connection', 50, noResponse('broken')],
		['that its gateway does not reach', 50, response(502)],
	];
	/** A few probes beside the calls that were lost. */
	const FEW = 215;

	test.each(lostWays)('%s for a minute is asked again, and the run goes on', async (_, ...lost) => {
		const run = runOf(5_000, {
			answer: (_call, now) => (now >= BEGINS && now < MINUTE ? lost : [50, FINE]),
		});
		const { unknown = 0, ...rest } = await run.outcomes();
		expect(unknown).toBeLessThan(FEW);
		expect(rest).toEqual({ accepted: 5_000 - unknown });
	});

	test.each(lostWays)('%s any more ends the run', async (_, ...lost) => {
		const run = runOf(3_000, { answer: (_call, now) => (now >= BEGINS ? lost : [50, FINE]) });
		const { unknown = 0, ...rest } = await run.outcomes();
		expect(unknown).toBeLessThan(FEW);
		expect(rest).toEqual({ accepted: 400, refused: 2_600 - unknown });
		expect(run.clock.now()).toBeLessThan(4 * MINUTE);
	});
});

test('a host that refuses every connection ends the run after two minutes, however many retries there are', async () => {
	const run = runOf(500, { answer: () => [1, noResponse('notSent')], maxRetries: 1_000 });
	expect(await run.outcomes()).toEqual({ refused: 500 });
	expect(run.clock.now()).toBeLessThan(3 * MINUTE);
});

test('a 429 is an answer, and is waited out', async () => {
	const run = runOf(2, {
		answer: (call) => [1, call < 6 ? response(429, '', { 'retry-after': '60' }) : FINE],
	});
	expect(await run.outcomes()).toEqual({ accepted: 2 });
	expect(run.clock.now()).toBeGreaterThan(5 * MINUTE);
});

test('a pause that the service asks another run for is no silence', async () => {
	const run = runOf(3, {
		answer: (call) => [20, call === 0 ? noResponse('broken') : FINE],
		concurrency: 1,
		requestsPerMinute: 1_000,
	});
	const busy = response(429, '', { 'retry-after': '300' });
	void run.clock
		.wait(10)
		.then(async () => await pacerOf(run.team, run.clock).run({}, async () => busy));
	expect(await run.outcomes()).toEqual({ unknown: 1, accepted: 2 });
});

test('no call begins once the run has ended, wherever it waits', async () => {
	const run = runOf(1_000, { answer: () => [50, FINE] });
	void run.clock.wait(120).then(() => run.controller.abort());
	// Two rounds have been answered, and the third is waited for.
	expect(await run.outcomes()).toEqual({ accepted: 600, refused: 400 });
	expect(run.begun).toHaveLength(600);
	expect(run.clock.now()).toBe(150);
});

test('what waited for its pace is not sent either, once the service has been silent', async () => {
	const silent = noResponse('timeout');
	const run = runOf(3, { answer: () => [MINUTE, silent], requestsPerMinute: 1 });
	expect(await run.outcomes()).toEqual({ unknown: 1, refused: 2 });
	expect(run.begun).toEqual([0]);
});
