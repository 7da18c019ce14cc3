import { summarize } from '../../../nodes/MessagingService/run/summary';

test('what came out without being sent is not done', () => {
	const words = summarize([
		{ output: { accepted: true } },
		{ output: { uncertain: true } },
		{ output: { dryRun: true } },
		{ error: new Error('no') },
		undefined,
	]);
	expect(words).toBe(
		'Items done: 0. Failed: 3. In doubt: 1. The service may have acted on these, so check there before you repeat them. Not sent: 2, 4.',
	);
});
