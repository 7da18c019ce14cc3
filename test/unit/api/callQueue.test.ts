/** How many calls of a run are under way at once, and what becomes of them when the service does not answer. */
import fc from 'fast-check';
import { CallQueue } from '../../../nodes/MessagingService/api/callQueue';
import { Pacers } from '../../../nodes/MessagingService/api/pacer';
import {
	type Answer,
	type ApiRequest,
	type ApiResponse,
	noResponse,
	type FailedOutcome,
	type Repeat,
	RequestFailure,
} from '../../../nodes/MessagingService/api/request';
import { clientOf, response } from '../helpers/api';
import { VirtualClock } from '../helpers/virtualClock';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const FINE = response(202);
/** The calls that were under way, and a few probes. */
const FEW = 115;
const readAcceptance = ({ status }: ApiResponse) => (status === 202 ? 'accepted' : undefined);

interface Setting {
	/** Milliseconds until the service answers, and its answer, by the number of the call and when it began. */
	answer(call: number, now: number): [milliseconds: number, Answer];
	maxCalls?: number;
	maxRetries?: number;
	/** Paces the calls. */
	requestsPerMinute?: number;
	repeat?: Repeat;
	/** Milliseconds that the service has to answer. */
	timeout?: number;
}

/** A run that makes so many calls, all at the same time. */
function runOf(
	count: number,
	{ answer, maxCalls, maxRetries = 5, requestsPerMinute, repeat = 'ifRefused', timeout }: Setting,
	clock = new VirtualClock(0),
	pacers = new Pacers(clock),
) {
	const controller = new AbortController();
	const transport = {
		maxRetries,
		...(requestsPerMinute && { requestsPerMinute }),
		...(timeout && { timeout }),
	};
	const begun: number[] = [];
	const client = clientOf(
		async ({ timeout: allowed }) => {
			const [milliseconds, result] = answer(begun.length, clock.now());
			begun.push(clock.now());
			await clock.wait(Math.min(milliseconds, allowed));
			return milliseconds > allowed ? noResponse('timeout') : result;
		},
		clock,
		{ transport, maxCalls, pacers, signal: controller.signal },
	);
	const paced = requestsPerMinute !== undefined;
	const request: ApiRequest = { method: 'POST', path: '/public/x', body: {}, paced, repeat };
	const call = async () =>
		await client.send(request, readAcceptance).then(
			() => 'accepted' as const,
			(error: unknown): FailedOutcome | undefined =>
				error instanceof RequestFailure ? error.outcome : undefined,
		);
	return {
		clock,
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
		answer: (call) => [1, call === 0 ? noResponse('unreachable') : FINE],
		maxCalls: 1,
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
	expect(run.clock.now()).toBe(10 * 50);
});

describe.each([0, 100])('a service that, from %d ms on,', (begins) => {
	const lostWays: Array<[what: string, milliseconds: number, Answer]> = [
		['answers nothing', MINUTE, noResponse('timeout')],
		['answers with a login page', 50, response(200, '<html>')],
	];

	test.each(lostWays)('%s for a minute is asked again, and the run goes on', async (_, ...lost) => {
		const run = runOf(1_000, {
			answer: (_call, now) => (now >= begins && now < MINUTE ? lost : [50, FINE]),
		});
		const { unknown = 0, ...others } = await run.outcomes();
		expect(unknown).toBeLessThan(FEW);
		expect(others).toEqual({ accepted: 1_000 - unknown });
	});

	test.each(lostWays)('%s ends the run after minutes', async (_, ...lost) => {
		const run = runOf(1_000, { answer: (_call, now) => (now >= begins ? lost : [50, FINE]) });
		const { unknown = 0, accepted = 0, refused } = await run.outcomes();
		expect(unknown).toBeLessThan(FEW);
		expect(accepted).toBe(2 * begins);
		expect(refused).toBe(1_000 - accepted - unknown);
		expect(run.clock.now()).toBeLessThan(6 * MINUTE);
	});
});

test.each<[string, Setting, mostUnknown: number]>([
	[
		'an outage leaves few unknown, also of calls that may be made twice',
		{ answer: () => [50, response(502)], repeat: 'evenIfUnknown' },
		FEW,
	],
	[
		'a limit in front of a service says nothing of what is behind it',
		{
			answer: (call) => [50, call % 3 ? response(429, '', { 'retry-after': '1' }) : response(502)],
			requestsPerMinute: 100_000,
		},
		FEW,
	],
	[
		'a service that asks for a pause again and again is given up like any other',
		{ answer: () => [50, response(503, '', { 'retry-after': '180' })] },
		140,
	],
])('%s', async (_what, setting, mostUnknown) => {
	const run = runOf(1_000, setting);
	const { unknown = 0, ...others } = await run.outcomes();
	expect(unknown).toBeLessThan(mostUnknown);
	expect(others).toEqual({ refused: 1_000 - unknown });
	expect(run.clock.now()).toBeLessThanOrEqual(6 * MINUTE);
});

test('a host that refuses every connection ends the run after two minutes, however many retries there are', async () => {
	const run = runOf(500, { answer: () => [1, noResponse('unreachable')], maxRetries: 1_000 });
	expect(await run.outcomes()).toEqual({ refused: 500 });
	expect(run.clock.now()).toBeLessThan(3 * MINUTE);
});

test('no call begins once the run has ended, wherever it waits', async () => {
	const run = runOf(1_000, { answer: () => [50, FINE] });
	void run.clock.wait(120).then(() => run.controller.abort());
	// Two rounds have been answered, and the third is waited for.
	expect(await run.outcomes()).toEqual({ accepted: 300, refused: 700 });
	expect(run.begun).toHaveLength(300);
	expect(run.clock.now()).toBe(150);
});

test('thousands of calls to a silent host end soon at a low limit, and the next run goes out at once', async () => {
	const clock = new VirtualClock(0);
	const pacers = new Pacers(clock);
	const silent: Setting = { answer: () => [Infinity, FINE], requestsPerMinute: 10 };
	const run = runOf(3_000, silent, clock, pacers);
	expect(await run.outcomes()).toEqual({ unknown: 10, refused: 2_990 });
	expect(clock.now()).toBeLessThanOrEqual(3 * MINUTE);

	const next = runOf(1, { answer: () => [50, FINE], requestsPerMinute: 10 }, clock, pacers);
	const startedAt = clock.now();
	expect(await next.outcomes()).toEqual({ accepted: 1 });
	expect(next.begun[0] - startedAt).toBeLessThanOrEqual(2 * SECOND);
});

test('an outage of a minute in the middle of a run is over by itself, and leaves few unknown', async () => {
	const run = runOf(3_000, {
		answer: (_call, now) => [now >= SECOND && now < 61 * SECOND ? Infinity : 50, FINE],
		requestsPerMinute: 1_000,
	});
	const { unknown = 0, ...rest } = await run.outcomes();
	expect(unknown).toBeGreaterThan(0);
	expect(unknown).toBeLessThanOrEqual(115);
	expect(rest).toEqual({ accepted: 3_000 - unknown });
});

test('no run goes on for more than two minutes and one time-out once a service has stopped answering', async () => {
	let ended = 0;
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(1, 3, 10, 100, 1_000),
			fc.integer({ min: 1, max: 200 }).map((seconds) => seconds * SECOND),
			fc.nat({ max: 2 * MINUTE }),
			fc.constantFrom<Repeat[]>('ifRefused', 'evenIfUnknown', 'idempotent'),
			async (requestsPerMinute, timeout, stopsAt, repeat) => {
				const answer: Setting['answer'] = (_call, now) => [now < stopsAt ? 50 : Infinity, FINE];
				const run = runOf(400, { answer, requestsPerMinute, timeout, repeat });
				const { accepted = 0, ...failed } = await run.outcomes();
				// Nobody notices before the first call that is not answered.
				const since = run.begun.find((moment) => moment >= stopsAt) ?? run.clock.now();
				expect(run.clock.now()).toBeLessThanOrEqual(since + 2 * MINUTE + timeout + 100);
				if (accepted < 400) ended++;
				expect(accepted + (failed.refused ?? 0) + (failed.unknown ?? 0)).toBe(400);
			},
		),
		{ numRuns: 60 },
	);
	expect(ended).toBeGreaterThan(30);
});

test('a pause of minutes that the service asks for is no outage', async () => {
	const run = runOf(1, {
		answer: (call) => [50, call === 0 ? response(503, '', { 'retry-after': '180' }) : FINE],
		repeat: 'idempotent',
	});
	expect(await run.outcomes()).toEqual({ accepted: 1 });
});

test('a call that hangs for minutes ends nothing while others get through', async () => {
	const answer = (call: number): [number, Answer] => (call === 5 ? [Infinity, FINE] : [50, FINE]);
	const run = runOf(5_000, { answer, requestsPerMinute: 1_000, timeout: 180_000 });
	expect(await run.outcomes()).toEqual({ accepted: 4_999, unknown: 1 });
});

test.each<[string, Answer, headers: Record<string, string>]>([
	['asks for three minutes', response(502), { 'retry-after': '180' }],
	['does not say how long', noResponse('broken'), {}],
])(
	'a pause after a 429 that %s is no outage, although a call had failed',
	async (_what, failure, headers) => {
		const limited = response(429, '', headers);
		const answer = (call: number, now: number): [number, Answer] => [
			50,
			call === 0 ? failure : now < 3 * MINUTE ? limited : FINE,
		];
		const run = runOf(200, { answer, requestsPerMinute: 100_000 });
		expect(await run.outcomes()).toEqual({ unknown: 1, accepted: 199 });
	},
);

test('thousands of calls that wait share one listener and one timer', async () => {
	const clock = new VirtualClock(0);
	const ended = new AbortController();
	const queue = new CallQueue(clock, ended.signal);
	const listening = jest.spyOn(queue.signal, 'addEventListener');
	const pace = new Pacers(clock).of('team', { limit: 1, execution: '1' });
	const send = async () => FINE;
	const timers = jest.spyOn(clock, 'wait');
	const calls = Array.from({ length: 3_000 }, () =>
		queue.call({ pace, repeat: 'ifRefused', send }),
	);
	await clock.run(clock.wait(SECOND));
	// That of the queue's timer, and that of the test's own wait.
	expect(timers.mock.calls.length).toBeLessThanOrEqual(4);
	expect(listening.mock.calls.length).toBeLessThanOrEqual(4);
	ended.abort();
	const results = await clock.run(Promise.all(calls));
	expect(results.filter((result) => result?.kind === 'noResponse')).toHaveLength(2_999);
});

test('calls that may be made twice survive a moment in which the service fails', async () => {
	const answer = (_call: number, now: number): [number, Answer] => [
		50,
		now < SECOND ? response(502) : FINE,
	];
	const run = runOf(1_000, { answer, repeat: 'evenIfUnknown' });
	expect(await run.outcomes()).toEqual({ accepted: 1_000 });
});
