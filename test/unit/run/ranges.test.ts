import fc from 'fast-check';
import { formatRanges } from '../../../nodes/MessagingService/run/ranges';

test.each([
	[[], 'none'],
	[[0], '0'],
	[[0, 1], '0-1'],
	[[0, 2], '0, 2'],
	[[0, 1, 2, 5, 7, 8], '0-2, 5, 7-8'],
])('writes %j as %s', (numbers, expected) => {
	expect(formatRanges(numbers)).toBe(expected);
});

test('names every number, and no other', () => {
	fc.assert(
		fc.property(fc.uniqueArray(fc.nat({ max: 60 }), { minLength: 1 }), (given) => {
			const numbers = given.toSorted((a, b) => a - b);
			const named = formatRanges(numbers)
				.split(', ')
				.flatMap((range) => {
					const [from, to = from] = range.split('-').map(Number);
					return Array.from({ length: to - from + 1 }, (_, i) => from + i);
				});
			expect(named).toEqual(numbers);
		}),
		{ numRuns: 500 },
	);
});
