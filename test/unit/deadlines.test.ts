import { Deadlines } from '../../nodes/MessagingService/deadlines';

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick'] }));
afterEach(() => jest.useRealTimers());

test('requests that begin at about the same moment share a deadline', () => {
	const deadlines = new Deadlines();
	const first = deadlines.after(32_000);
	jest.advanceTimersByTime(1_000);
	expect(deadlines.after(32_000)).toBe(first);
	jest.advanceTimersByTime(1);
	expect(deadlines.after(32_000)).not.toBe(first);
});

test('those with another time or another signal do not', () => {
	const deadlines = new Deadlines();
	const { signal } = new AbortController();
	const first = deadlines.after(1_000, signal);
	expect(deadlines.after(2_000, signal).timeout).not.toBe(first.timeout);
	expect(deadlines.after(2_000).end).not.toBe(deadlines.after(2_000, signal).end);
});

test('it ends requests when the run is cancelled, and says that their time was not up', () => {
	const run = new AbortController();
	const { end, timeout } = new Deadlines().after(60_000, run.signal);
	run.abort();
	expect([end.aborted, timeout.aborted]).toEqual([true, false]);
});

test('no request is ended before its time is up', async () => {
	jest.useRealTimers();
	const deadlines = new Deadlines();
	const milliseconds = 640;
	deadlines.after(milliseconds);
	await new Promise((resolve) => setTimeout(resolve, 10));
	const begun = performance.now();
	const { end } = deadlines.after(milliseconds);
	await new Promise((resolve) => end.addEventListener('abort', resolve));
	const took = performance.now() - begun;
	expect(took).toBeGreaterThanOrEqual(milliseconds - 1);
});

test('a time longer than a timer can take is no error', () => {
	expect(new Deadlines().after(1e12).end.aborted).toBe(false);
});
