import { summarize } from '../../../nodes/MessagingService/run/summary';

const FAILED = { error: new Error('no') };

test('what came out without being sent is not done', () => {
	const words = summarize(
		[
			{ output: { accepted: true } },
			{ output: { uncertain: true } },
			{ output: { dryRun: true } },
			FAILED,
			undefined,
		],
		{ isRetryable: false },
	);
	expect(words).toBe(
		'Items done: 0. Failed: 3. In doubt: 1. The service may have acted on these, so check there before you repeat them. Not sent: 2, 4.',
	);
});

test.each([
	['something is done', [{ output: { accepted: true } }, FAILED], true, true],
	['nothing is done', [FAILED, undefined], true, false],
	['a retry does not know it', [{ output: { accepted: true } }, FAILED], false, false],
])('how to go on, where %s', (_case, results, isRetryable, isSaid) => {
	const words = summarize(results, { isRetryable });
	expect(words.includes('"Retry"')).toBe(isSaid);
});
