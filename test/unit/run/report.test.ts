import { summarize, sumUp } from '../../../nodes/MessagingService/run/report';
import { failureOf } from '../helpers/api';

type Results = Parameters<typeof summarize>[0];

const accepted = { output: { outcome: 'accepted' } };
const skipped = { output: { outcome: 'skipped' } };
const failed = { itemIndex: 0, error: new Error() };
const wrong = { ...failed, outcome: 'refused' } as const;
const unknown = { ...failed, outcome: 'unknown', recipient: '+15555550101' } as const;
const refused = {
	...wrong,
	error: failureOf('refused'),
};

const UNSENT = { accepted: 0, mayHaveSent: false, mayHaveSentUnread: false };
const SENT = { ...UNSENT, mayHaveSent: true };
const ROUNDS = { ...SENT, accepted: 2 };

const summaryOf = (results: Results, { isRetryable = true, earlier = UNSENT } = {}) =>
	summarize(results, isRetryable, earlier);

test('it counts items by what became of them, and names whom to look at by their numbers', () => {
	expect(summaryOf([accepted, unknown, undefined, undefined])).toMatch(
		/^Items \(the first is 0\): 1 accepted \(0\), 1 unknown \(1: \+15555550101\), 2 not sent \(2-3\)\./,
	);
});

test('it names twenty, and says when there are more', () => {
	const every = (length: number) =>
		Array.from({ length }, (_, n) => (n % 2 === 0 ? skipped : accepted));
	expect(summaryOf(every(40))).toContain('20 accepted (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21,');
	expect(summaryOf(every(40))).not.toContain('…');
	expect(summaryOf(every(42))).toContain('37, 39, …)');
});

const RETRY = 'retry this execution';
const ALONE = 'run it with them alone';
const ANEW = 'and run the workflow again';

test.each([
	[[accepted, refused], {}, RETRY],
	[[accepted, wrong, undefined], {}, RETRY],
	// A retry would read the same value again.
	[[accepted, wrong], {}, ALONE],
	// In a loop, later rounds have not begun.
	[[accepted, unknown], {}, RETRY],
	[[wrong], { earlier: ROUNDS }, RETRY],
	[[refused, undefined], {}, ANEW],
	// An earlier try, or an earlier round of a loop, has sent something.
	[[refused, undefined], { earlier: SENT }, RETRY],
	[[refused, undefined], { earlier: ROUNDS }, RETRY],
	// In a loop, each round may have a single item.
	[[refused], { earlier: ROUNDS }, RETRY],
	[[refused], {}, undefined],
	// The parent of a sub-workflow may have sent something.
	[[refused, undefined], { isRetryable: false }, undefined],
	[[refused, unknown, undefined], {}, undefined],
	[[refused, refused], {}, undefined],
])('it says how to send the rest only as nobody is texted twice: %#', (results, more, advice) => {
	const summary = summaryOf(results, more);
	expect([RETRY, ALONE, ANEW].filter((words) => summary.includes(words))).toEqual(
		advice === undefined ? [] : [advice],
	);
});

test.each([
	[[accepted, accepted, skipped, refused], '2 accepted, 1 skipped, 1 refused.'],
	[[accepted], ''],
	[[refused, refused], ''],
])('it sums up a run of several items that sent something: %#', (results, sum) => {
	expect(sumUp(results)).toBe(sum);
});

test('where n8n may not have saved the execution, nobody is told to send what is unknown', () => {
	expect(summaryOf([accepted, unknown, undefined])).toMatch(
		/If n8n has not saved the execution, .* with only what was refused or not sent\.$/,
	);
});
