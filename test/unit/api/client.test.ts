import {
	DEFAULT_TRANSPORT,
	type TransportOptions,
} from '../../../nodes/MessagingService/api/client';
import type { Outcome } from '../../../nodes/MessagingService/api/outcome';
import type { ApiRequest, HttpRequest } from '../../../nodes/MessagingService/api/request';
import {
	mayHaveBeenAccepted,
	RequestFailure,
} from '../../../nodes/MessagingService/api/requestFailure';
import { explain } from '../../../nodes/MessagingService/explanation';
import { API_KEY, clientOf, failure, response } from '../helpers/api';
import { VirtualClock } from '../helpers/virtualClock';

const READ: ApiRequest = { method: 'GET', path: '/public/messages' };
const WRITE: ApiRequest = { method: 'POST', path: '/public/users', body: {} };
const FINE = response(200, '{}');
const BUSY = response(429, '', { 'retry-after': '7' });
const BROKEN = response(503);

/** A service that gives these answers one after the other. */
function serviceWith(outcomes: Outcome[], transport?: Partial<TransportOptions>) {
	const clock = new VirtualClock(0);
	const requests: Array<HttpRequest & { at: number }> = [];
	const controller = new AbortController();
	const { signal } = controller;
	const left = [...outcomes];
	const client = clientOf(
		async (request) => {
			requests.push({ ...request, at: clock.now() });
			return left.shift() ?? failure('invalid', 'no answer is left');
		},
		clock,
		{ transport, signal },
	);
	const send = async (request: ApiRequest) => await clock.run(client.send(request));
	return { clock, client, controller, requests, send };
}

test('a request has the address, the body as text and the headers that go with it', async () => {
	const { requests, send, controller } = serviceWith([FINE, FINE], { timeout: 5 });
	await send({ ...READ, query: [['limit', '5']] });
	await send({ method: 'POST', path: '/verify', body: { a: 1 }, authenticate: false });
	const { signal } = controller;
	expect(requests).toEqual([
		{
			at: 0,
			method: 'GET',
			url: 'https://messaging.example.com/api/public/messages?limit=5',
			timeout: 5,
			maxResponseSize: 10_000_000,
			headers: { accept: 'application/json' },
			authenticate: true,
			signal,
		},
		{
			at: 0,
			method: 'POST',
			url: 'https://messaging.example.com/api/verify',
			timeout: 5,
			maxResponseSize: 10_000_000,
			headers: { accept: 'application/json', 'content-type': 'application/json' },
			authenticate: false,
			signal,
			body: '{"a":1}',
		},
	]);
});

test('a write stays in doubt when a later try certainly was not accepted', async () => {
	const outcomes = [BROKEN, failure('notSent'), response(400)];
	const { requests, send } = serviceWith(outcomes, { retryOnServerError: true });
	const error: unknown = await send(WRITE).catch((thrown: unknown) => thrown);
	expect(requests).toHaveLength(3);
	expect(error).toMatchObject({ status: 400 });
	expect(mayHaveBeenAccepted(error)).toBe(true);
	if (!(error instanceof RequestFailure)) throw new Error('This is no failure of a request');
	expect(explain(error).description).toContain('an earlier one may have been accepted');
});

test.each([
	['at once', READ, [FINE], { sent: 1, accepted: 1, rateLimited: 0, waited: 0 }],
	['after 429', READ, [BUSY, BUSY, FINE], { sent: 3, accepted: 1, rateLimited: 2, waited: 14_000 }],
	// The pause after another failure is no wait for the rate limit.
	['after a failure', READ, [BROKEN, FINE], { sent: 2, accepted: 1, rateLimited: 0, waited: 0 }],
	['never', READ, [response(404)], { sent: 1, accepted: 0, rateLimited: 0, waited: 0 }],
	['by another status', { ...READ, accepts: [404] }, [response(404)], { sent: 1, accepted: 1 }],
])('traffic is counted: accepted %s', async (_name, request, outcomes, counts) => {
	const { client, send } = serviceWith(outcomes);
	await send(request).catch(() => undefined);
	expect(client.traffic).toMatchObject(counts);
});

test('the work of a busy process is no wait for the rate limit', async () => {
	const clock = new VirtualClock();
	let worked = 0;
	jest.spyOn(clock, 'now').mockImplementation(() => worked++);
	const client = clientOf(async () => FINE, clock);
	await Promise.all([WRITE, WRITE, WRITE].map(async (request) => await client.send(request)));
	expect(client.traffic).toMatchObject({ accepted: 3, waited: 0 });
});

test('clients with other options share their traffic', async () => {
	const { client, clock, requests } = serviceWith([FINE]);
	const other = client.with({ ...DEFAULT_TRANSPORT, timeout: 1 });
	await clock.run(other.send(READ));
	expect(requests).toMatchObject([{ timeout: 1 }]);
	expect(client.traffic.sent).toBe(1);
});

describe('a request is repeated', () => {
	const times = (count: number, outcome: Outcome) => Array.from({ length: count }, () => outcome);

	test.each([
		['five times by default', READ, {}, times(20, BROKEN), 6],
		['ten times after 429', READ, {}, times(20, BUSY), 11],
		['as often as the options say', READ, { maxRetries: 2 }, times(20, BROKEN), 3],
		['as often as the options say after 429', READ, { maxRetries: 2 }, times(20, BUSY), 3],
		[
			'without end after 429 if paced',
			{ ...WRITE, paced: true },
			{},
			[...times(20, BUSY), FINE],
			21,
		],
		['not if it may have been accepted', WRITE, {}, times(20, BROKEN), 1],
		['all the same if that is allowed', WRITE, { retryOnServerError: true }, times(20, BROKEN), 6],
	])('%s', async (_name, request, transport, outcomes, count) => {
		const { requests, send } = serviceWith(outcomes, transport);
		await send(request).catch(() => undefined);
		expect(requests).toHaveLength(count);
	});
});

test('a repeat waits as long as the service asks for', async () => {
	const { requests, send } = serviceWith([response(503, '', { 'retry-after': '7' }), FINE]);
	await send(READ);
	expect(requests.map(({ at }) => at)).toEqual([0, 7_000]);
});

test.each([199, 300])('status %i is no success', async (status) => {
	await expect(serviceWith([response(status)]).send(READ)).rejects.toMatchObject({ status });
});

test('the pace of the options holds for paced requests only', async () => {
	for (const [request, at] of [
		[{ ...WRITE, paced: true }, [0, 0, 60_100]],
		[WRITE, [0, 0, 0]],
	] as const) {
		const { client, clock, requests } = serviceWith([FINE, FINE, FINE], { requestsPerMinute: 2 });
		await clock.run(Promise.all([1, 2, 3].map(async () => await client.send(request))));
		expect(requests.map((sent) => sent.at)).toEqual(at);
	}
});

test('a 429 holds back the whole team, also when it is the last try', async () => {
	const { client, clock, requests, send } = serviceWith([BUSY, FINE], { maxRetries: 0 });
	await expect(send(READ)).rejects.toMatchObject({ status: 429 });
	await clock.run(client.send(READ));
	expect(requests.map(({ at }) => at)).toEqual([0, 7_000]);
});

describe('within a time', () => {
	test('a request fails at once, with what was learned, when the service asks for a longer pause', async () => {
		const { client, clock, requests } = serviceWith([BUSY, FINE]);
		const failed = clock.run(client.within(7_000).send(READ));
		await expect(failed).rejects.toMatchObject({ status: 429 });
		expect(clock.now()).toBe(0);
		// Nor does the next one wait for it.
		await expect(client.within(5_000).send(READ)).rejects.toMatchObject({
			outcome: failure('heldBack', '7 seconds'),
		});
		expect(requests).toHaveLength(1);
	});

	test('a request fails at once when its turn comes later', async () => {
		const clock = new VirtualClock(0);
		const client = clientOf(async () => FINE, clock, { transport: { requestsPerMinute: 1 } });
		const send = async () => await client.within(5_000).send({ ...WRITE, paced: true });
		await clock.run(send());
		await expect(clock.run(send())).rejects.toMatchObject({ outcome: failure('timeout') });
		expect(clock.now()).toBe(0);
	});

	test('its repeats and pauses are over, too', async () => {
		const { client, clock, requests } = serviceWith([
			response(503, '', { 'retry-after': '3' }),
			FINE,
		]);
		await clock.run(client.within(5_000).send(READ));
		expect(requests.map(({ timeout, at }) => [timeout, at])).toEqual([
			[5_000, 0],
			[2_000, 3_000],
		]);
	});

	test('a pause of one kind of request does not reach another', async () => {
		const { client, clock } = serviceWith([BUSY, FINE]);
		await clock.run(
			client
				.within(5_000)
				.send(READ)
				.catch(() => undefined),
		);
		await clock.run(client.send({ ...READ, method: 'POST' }));
		expect(clock.now()).toBe(0);
	});
});

test.each([
	[20, 20],
	[21, 19],
])('a run of %i leaves room for others, which its last items may take', async (items, atOnce) => {
	const { client, clock, requests } = serviceWith(
		Array.from({ length: 30 }, () => FINE),
		{
			requestsPerMinute: 20,
		},
	);
	client.traffic.items = items;
	const paced = { ...WRITE, paced: true };
	for (let i = 0; i < items; i++) await clock.run(client.send(paced));
	expect(requests.filter(({ at }) => at === 0)).toHaveLength(atOnce);
	expect(clock.now()).toBe(atOnce === items ? 0 : 60_100);
});

test('a 429 holds back no other endpoint', async () => {
	const { client, clock, requests } = serviceWith([BUSY, FINE, FINE]);
	const busy = client.send(READ);
	await clock.run(clock.wait(1));
	await clock.run(Promise.all([busy, client.send(WRITE)]));
	expect(requests.map(({ method, at }) => [method, at])).toEqual([
		['GET', 0],
		['POST', 1],
		['GET', 7_000],
	]);
});

test('what comes of a request decides how many may be under way', async () => {
	const { client, send } = serviceWith([BROKEN, FINE]);
	const before = client.congestion.size;
	await send(READ);
	expect(client.congestion.size).toBeLessThan(before);
});

test('requests that were under way at once are one loss, however many of them fail', async () => {
	const clock = new VirtualClock(0);
	const client = clientOf(async () => {
		await clock.wait(100);
		return BROKEN;
	}, clock);
	const sent = Array.from({ length: 8 }, async () => await client.send(WRITE));
	await clock.run(Promise.allSettled(sent));
	expect(client.congestion.size).toBe(4);
});

test('a cancelled execution sends nothing more, and leaves the pace as it is', async () => {
	const { client, clock, controller, requests } = serviceWith([BUSY]);
	const sending = client.send(READ);
	void clock.wait(3_000).then(() => controller.abort());
	await expect(clock.run(sending)).rejects.toMatchObject({ outcome: failure('notStarted') });
	expect(clock.now()).toBe(3_000);
	await expect(client.send(READ)).rejects.toMatchObject({ outcome: { reason: 'notStarted' } });
	expect(requests).toHaveLength(1);
});

test('a request that is cancelled while it tries after a 429 leaves the try to the next one', async () => {
	const clock = new VirtualClock(0);
	const controller = new AbortController();
	const begun: number[] = [];
	const http = async ({ signal }: HttpRequest): Promise<Outcome> => {
		begun.push(clock.now());
		if (begun.length === 1) return BUSY;
		await clock.wait(1_000, signal);
		return signal?.aborted ? failure('cancelled') : FINE;
	};
	const cancelled = clientOf(http, clock, { signal: controller.signal });
	const other = clientOf(http, clock);
	const sending = cancelled.send(READ).catch(() => undefined);
	await clock.run(clock.wait(1));
	const others = Promise.all([1, 2, 3].map(async () => await other.send(READ)));
	void clock.wait(7_499).then(() => controller.abort());
	await clock.run(Promise.all([sending, others]));
	const [, trying, next, ...rest] = begun;
	expect(trying).toBe(7_000);
	expect(next).toBeGreaterThanOrEqual(7_500);
	for (const at of rest) expect(at).toBeGreaterThanOrEqual(next + 1_000);
});

test('a request that is cancelled before it goes out leaves the try after a 429 to the next one', async () => {
	const clock = new VirtualClock(0);
	const controller = new AbortController();
	const begun: number[] = [];
	const http = async (): Promise<Outcome> => {
		begun.push(clock.now());
		if (begun.length === 1) return BUSY;
		await clock.wait(1_000);
		return FINE;
	};
	const cancelled = clientOf(http, clock, { signal: controller.signal });
	const other = clientOf(http, clock, { transport: { maxRetries: 0 } });
	await expect(clock.run(other.send(READ))).rejects.toMatchObject({ status: 429 });
	await clock.run(clock.wait(7_000));
	const sending = cancelled.send(READ);
	controller.abort();
	await expect(sending).rejects.toMatchObject({ outcome: failure('notStarted') });
	await clock.run(Promise.all([1, 2, 3].map(async () => await other.send(READ))));
	const [, trying, ...rest] = begun;
	expect(trying).toBe(7_000);
	for (const at of rest) expect(at).toBeGreaterThanOrEqual(8_000);
});

describe('an address that the service gave', () => {
	test('gets the key if it is the service', async () => {
		const { client, clock, requests } = serviceWith([FINE]);
		await clock.run(client.follow(new URL('https://messaging.example.com/x?page=2'), READ));
		expect(requests).toMatchObject([{ url: 'https://messaging.example.com/x?page=2' }]);
	});

	test.each(['ada@', ':password@'])('gets nothing if it has another key: %s', async (user) => {
		const { client, requests } = serviceWith([FINE]);
		const link = new URL(`https://${user}messaging.example.com/x`);
		await expect(client.follow(link, READ)).rejects.toMatchObject({
			outcome: failure('foreignLink', 'https://messaging.example.com with a user name'),
		});
		expect(requests).toEqual([]);
	});

	test('gets nothing if it is another one', async () => {
		const { client, requests } = serviceWith([FINE]);
		await expect(client.follow(new URL('https://other.example.com/x'), READ)).rejects.toMatchObject(
			{ outcome: failure('foreignLink', 'https://other.example.com'), mayHaveBeenAccepted: false },
		);
		expect(requests).toEqual([]);
	});
});

describe('an object of the service', () => {
	test.each([
		['{"id":1,"data":{"x":2}}', { id: 1, data: { x: 2 } }],
		['{"data":{"id":"a"},"id":5}', { id: 'a' }],
		['{"data":[],"id":5}', { data: [], id: 5 }],
	])('is read from %s', async (text, object) => {
		const { client, clock } = serviceWith([response(201, text)]);
		expect(await clock.run(client.sendForObject(WRITE))).toEqual(object);
	});

	test.each(['', '[{"id":1}]', '{}', '{"id":null}', '{"data":{}}', 'null'])(
		'is not %j: the request may have been accepted all the same',
		async (text) => {
			const { client, clock } = serviceWith([response(201, text)]);
			const failed = await clock.run(client.sendForObject(WRITE).catch((error: unknown) => error));
			expect(failed).toMatchObject({ status: 201, outcome: { kind: 'unexpected', text } });
			expect(mayHaveBeenAccepted(failed)).toBe(true);
		},
	);
});

describe('a failure', () => {
	const failureFor = async (request: ApiRequest, outcome: Outcome) =>
		await serviceWith([outcome], { maxRetries: 0 })
			.send(request)
			.then(
				() => Promise.reject(new Error('nothing failed')),
				(error: unknown) => error,
			);

	test('says what failed and where', async () => {
		expect(await failureFor(READ, response(404))).toMatchObject({
			name: 'RequestFailure',
			message: 'GET /public/messages failed: status 404',
			status: 404,
			request: { ...READ, origin: 'https://messaging.example.com', timeout: 60_000 },
		});
		expect(await failureFor(READ, failure('timeout'))).toMatchObject({
			message: 'GET /public/messages failed: timeout',
			status: undefined,
		});
	});

	test('tells whether the service may have acted', async () => {
		expect(mayHaveBeenAccepted(await failureFor(WRITE, response(500)))).toBe(true);
		expect(mayHaveBeenAccepted(await failureFor(WRITE, response(400)))).toBe(false);
		expect(mayHaveBeenAccepted(await failureFor(READ, response(500)))).toBe(false);
		expect(mayHaveBeenAccepted(new Error('any'))).toBe(false);
	});

	test('knows its secrets, and shows none of them', async () => {
		const failed = await failureFor(WRITE, response(500));
		expect(JSON.stringify(failed)).not.toContain(API_KEY);
		expect(Object(failed).redactor.hide(`the key ${API_KEY}`)).toBe('the key [hidden]');
	});
});
