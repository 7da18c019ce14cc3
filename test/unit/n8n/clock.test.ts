import { systemClock, unlessAborted } from '../../../nodes/MessagingService/n8n/clock';

// A pause that was broken off leaves a sleep of n8n, which would keep a process of Jest from ending.
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test.each(['before', 'during'])(
	'a long pause ends at once when it is broken off %s it',
	async (when) => {
		const controller = new AbortController();
		if (when === 'before') controller.abort();
		const waiting = systemClock.wait(2 ** 31, controller.signal);
		controller.abort();
		await expect(waiting).resolves.toBeUndefined();
	},
);

test('what was broken off before is not waited for', async () => {
	const waiting = unlessAborted(new Promise(() => {}), AbortSignal.abort());
	await expect(waiting).rejects.toThrow('aborted');
});

test('thousands of pauses that end with the same signal put no listener on it', async () => {
	const controller = new AbortController();
	const listening = jest.spyOn(controller.signal, 'addEventListener');
	const waiting = Array.from({ length: 3_000 }, async () => {
		await systemClock.wait(2 ** 31, controller.signal);
	});
	controller.abort();
	expect(await Promise.all(waiting)).toHaveLength(3_000);
	expect(listening).not.toHaveBeenCalled();
});
