import { systemClock } from '../../nodes/MessagingService/systemClock';

const LONG = 600_000;

test('the time only goes forward, by what was waited for', async () => {
	const start = systemClock.now();
	await systemClock.wait(20, new AbortController().signal);
	await systemClock.wait(20);
	expect(systemClock.now() - start).toBeGreaterThanOrEqual(38);
});

test('waiting ends at once when the signal was aborted before', async () => {
	await expect(systemClock.wait(LONG, AbortSignal.abort())).resolves.toBeUndefined();
});

test('waiting listens to the signal only while it lasts', async () => {
	const { signal } = new AbortController();
	const add = jest.spyOn(signal, 'addEventListener');
	const remove = jest.spyOn(signal, 'removeEventListener');
	await systemClock.wait(1, signal);
	expect(remove.mock.calls.map(([, listener]) => listener)).toEqual(
		add.mock.calls.map(([, listener]) => listener),
	);
});
