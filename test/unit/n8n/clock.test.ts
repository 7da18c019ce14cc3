import { systemClock } from '../../../nodes/MessagingService/n8n/clock';

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
