import {
	type Answer,
	type ApiRequest,
	noResponse,
	type HttpRequest,
	RequestFailure,
} from '../../../nodes/MessagingService/api/request';
import { readObject, type TransportOptions } from '../../../nodes/MessagingService/api/client';
import { explain } from '../../../nodes/MessagingService/words/explanation';
import { API_KEY, asIs, clientOf, response } from '../helpers/api';
import { VirtualClock } from '../helpers/virtualClock';

const READ: ApiRequest = { method: 'GET', path: '/public/messages', repeat: 'idempotent' };
const WRITE: ApiRequest = { method: 'POST', path: '/public/users', body: {}, repeat: 'ifRefused' };
const TWICE: ApiRequest = { ...WRITE, repeat: 'evenIfUnknown' };
const PACED: ApiRequest = { ...WRITE, paced: true };
const OTP: ApiRequest = { method: 'GET', path: '/verify-otp', repeat: 'ifRefused' };
const FINE = response(200, '{}');
const BUSY = response(429, '', { 'retry-after': '7' });
const BROKEN = response(503);

const times = (count: number, answer: Answer) => Array.from({ length: count }, () => answer);

/** A service that gives these answers one after the other. */
function serviceWith(answers: Answer[], transport: Partial<TransportOptions> = {}) {
	const clock = new VirtualClock(0);
	const requests: Array<HttpRequest & { at: number }> = [];
	const left = [...answers];
	const client = clientOf(
		async (request) => {
			requests.push({ ...request, at: clock.now() });
			return left.shift() ?? noResponse('insecure', 'no answer is left');
		},
		clock,
		{ transport },
	);
	const send = async (request: ApiRequest) => await clock.run(client.send(request, asIs));
	const failureOf = async (request: ApiRequest) => {
		const error: unknown = await send(request).catch((thrown: unknown) => thrown);
		if (error instanceof RequestFailure) return error;
		throw new Error('This is no failure of a request');
	};
	const moments = () => requests.map(({ at }) => at);
	return { clock, client, requests, moments, send, failureOf };
}

describe('a request is sent', () => {
	const twoRetries = { maxRetries: 2 };
	const GONE = times(20, noResponse('unreachable'));

	test.each([
		['once if it may have been accepted', WRITE, {}, times(20, BROKEN), 1],
		['once if a one-time password may be used up', OTP, {}, times(20, BROKEN), 1],
		['six times if it only reads', READ, {}, times(20, BROKEN), 6],
		['six times if it may happen twice', TWICE, {}, times(20, BROKEN), 6],
		['six times if it could not be sent', WRITE, {}, GONE, 6],
		['as often as the options say', READ, twoRetries, times(20, BROKEN), 3],
		['until 429 is over', READ, twoRetries, [...times(20, BUSY), FINE], 21],
		[
			'until 429 is over, whatever the retries are',
			READ,
			{ maxRetries: 0 },
			[...times(20, BUSY), FINE],
			21,
		],
		['until 429 is over if it is paced', PACED, twoRetries, [...times(20, BUSY), FINE], 21],
		['as often as the options say, beside 429s', PACED, twoRetries, [BUSY, BUSY, ...GONE], 5],
	])('%s', async (_name, request, transport, answers, count) => {
		const { requests, send } = serviceWith(answers, transport);
		await send(request).catch(() => undefined);
		expect(requests).toHaveLength(count);
	});
});

test('it stays unknown what became of a write when only its last try certainly had no effect', async () => {
	const { requests, failureOf } = serviceWith([BROKEN, noResponse('unreachable'), response(400)]);
	const error = await failureOf(TWICE);
	expect(requests).toHaveLength(3);
	expect(error).toMatchObject({ status: 400, outcome: 'unknown' });
	expect(explain(error).description).toContain('may have acted on the request');
});

test('the pace holds for paced requests only', async () => {
	for (const [request, moments] of [
		[PACED, [0, 0, 60_100]],
		[WRITE, [0, 0, 0]],
	] as const) {
		const service = serviceWith(times(3, FINE), { requestsPerMinute: 2 });
		const { clock, client } = service;
		await clock.run(Promise.all([1, 2, 3].map(async () => await client.send(request, asIs))));
		expect(service.moments()).toEqual(moments);
	}
});

describe('a 429', () => {
	test.each([
		['holds back another list of the run', READ, { ...READ, path: '/b' }, 7_000],
		['holds back another webhook of the team', PACED, { ...PACED, path: '/b' }, 7_000],
	])('%s', async (_name, first, second, at) => {
		jest.spyOn(Math, 'random').mockReturnValue(0);
		const { client, clock, moments } = serviceWith([BUSY, FINE, FINE]);
		const sent = client.send(first, asIs);
		await clock.run(clock.wait(500));
		await clock.run(Promise.all([sent, client.send(second, asIs)]));
		expect(moments()[1]).toBe(at);
		jest.restoreAllMocks();
	});

	test('to everything for 15 minutes ends the wait, and a later execution tries again', async () => {
		const clock = new VirtualClock(0);
		let isBusy = true;
		let sent = 0;
		const client = clientOf(async () => {
			sent++;
			return isBusy ? response(429, '', { 'retry-after': '60' }) : FINE;
		}, clock);
		const run = Array.from({ length: 100 }, async () => await client.send(PACED, asIs));
		for (const result of await clock.run(Promise.allSettled(run))) {
			expect(result).toMatchObject({
				reason: { answer: { reason: 'stalled' }, outcome: 'refused' },
			});
		}
		expect(clock.now()).toBeLessThan(17 * 60_000);

		await clock.run(clock.wait(2 * 60_000));
		isBusy = false;
		sent = 0;
		await clock.run(client.send(PACED, asIs));
		expect(sent).toBe(1);
	});
});

test('within a time, its repeats and pauses are over, too', async () => {
	const busy = response(429, '', { 'retry-after': '3' });
	const { client, clock, requests } = serviceWith([busy, busy, FINE]);
	const sent = client.within(5_000).send(READ, asIs);
	await expect(clock.run(sent)).rejects.toMatchObject({ status: 429 });
	expect(requests.map(({ timeout, at }) => timeout + at)).toEqual([5_000, 5_000]);
	expect(requests[1].at).toBeGreaterThanOrEqual(3_000);
});

test('within a time, a request does not wait for a longer pause that another one was asked for', async () => {
	const busy = response(429, '', { 'retry-after': '60' });
	const { client, clock, requests } = serviceWith([busy, FINE]);
	const first = client.send(READ, asIs);
	await clock.run(clock.wait(500));
	const sent = client.within(5_000).send(READ, asIs);
	await expect(clock.run(sent)).rejects.toMatchObject({ answer: { reason: 'timeout' } });
	expect(requests).toHaveLength(1);
	await clock.run(first);
});

test('within a time, requests that wait for the answer to a probe are over, too', async () => {
	const pause = (seconds: string) => response(429, '', { 'retry-after': seconds });
	const { client, clock, requests } = serviceWith([pause('1'), pause('1'), pause('600'), FINE]);
	const limited = client.within(12_000);
	const sent = [1, 2].map(async () => await limited.send(READ, asIs));
	const results = await clock.run(Promise.allSettled(sent));
	expect(results).toMatchObject([
		{ reason: { answer: { status: 429 } } },
		{ reason: { answer: { reason: 'timeout' } } },
	]);
	expect(requests).toHaveLength(3);
	expect(clock.now()).toBeLessThan(12_000);
});

test('a limit is waited out for a quarter of an hour, not by all at the same moment', async () => {
	const [first, second] = [WRITE, READ].map((request) => {
		const service = serviceWith(times(2_000, response(429, '', { 'retry-after': '2' })));
		return { ...service, failure: service.failureOf(request) };
	});
	for (const { failure, clock, requests } of [first, second]) {
		expect(await failure).toMatchObject({ answer: { reason: 'stalled' }, outcome: 'refused' });
		expect(clock.now()).toBeGreaterThanOrEqual(15 * 60_000);
		expect(clock.now()).toBeLessThan(16 * 60_000);
		// About one in ten seconds, after the first few.
		expect(requests.length).toBeLessThan(100);
	}
	expect(first.moments()).not.toEqual(second.moments());

	const hour = serviceWith([response(429, '', { 'retry-after': '3600' }), FINE]);
	await hour.send(READ);
	expect(hour.moments()).toEqual([0, 15 * 60_000]);
});

test.each([
	['https://other.example.com/x', 'https://other.example.com'],
	['http://messaging.example.com/x', 'http://messaging.example.com'],
	['https://:pass@messaging.example.com/x', 'https://messaging.example.com'],
	['https://user@messaging.example.com/x', 'https://messaging.example.com'],
])(
	'an address that the service gave gets nothing if it is another one: %s',
	async (link, detail) => {
		const { client, requests } = serviceWith([FINE]);
		await expect(client.send(READ, asIs, new URL(link))).rejects.toMatchObject({
			answer: noResponse('foreignLink', detail),
			outcome: 'refused',
		});
		expect(requests).toEqual([]);
	},
);

describe('an object of the service', () => {
	test.each([
		['{"id":1,"data":{"x":2}}', { id: 1, data: { x: 2 } }],
		['{"data":{"id":"a"},"id":5}', { id: 'a' }],
		['{"data":[],"id":5}', { data: [], id: 5 }],
	])('is read from %s', async (text, object) => {
		const { client, clock } = serviceWith([response(201, text)]);
		expect(await clock.run(client.send(WRITE, readObject))).toEqual(object);
	});

	test.each(['', '[{"id":1}]', '{}', '{"id":null}', '{"data":{}}', 'null'])(
		'is not %j: nobody knows what became of the request',
		async (text) => {
			const { client, clock } = serviceWith([response(201, text)]);
			await expect(clock.run(client.send(WRITE, readObject))).rejects.toMatchObject({
				status: 201,
				answer: { kind: 'unexpected', text },
				outcome: 'unknown',
			});
		},
	);
});

describe('a failure', () => {
	const failureFor = async (answer: Answer) =>
		await serviceWith([answer], { maxRetries: 0 }).failureOf(WRITE);

	test('keeps only the beginning of a long answer, and no part of a secret in it', async () => {
		const text = `${'x'.repeat(9_990)}${API_KEY}${'y'.repeat(5_000_000)}`;
		const { answer } = await failureFor(response(500, text));
		expect(answer).toMatchObject({ text: `${'x'.repeat(9_990)}[hidden]yy` });
	});

	test.each([response(500, `Bad key ${API_KEY}`), noResponse('broken', `Bad key ${API_KEY}`)])(
		'has no secrets in what came back: $kind',
		async (answer) => {
			const failed = JSON.stringify(await failureFor(answer));
			expect(failed).toContain('Bad key [hidden]');
			expect(failed).not.toContain(API_KEY);
		},
	);
});

test('half of an emoji, as a text that is cut off has it, is sent as a sign that services read', async () => {
	const { send, requests } = serviceWith([response(202)]);
	await send({ ...WRITE, body: { note: 'Hi \ud83d', list: ['👋'] } });
	expect(requests).toMatchObject([{ body: '{"note":"Hi \ufffd","list":["👋"]}' }]);
});
