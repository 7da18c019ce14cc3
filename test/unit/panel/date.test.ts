/** How a point in time is read. */
import { readDate } from '../../../nodes/MessagingService/panel/date';

const NEW_YORK = 'America/New_York';

test.each([
	['2026-11-01T01:30', '2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z'],
	['2026-11-01T00:59', '2026-11-01T04:59:00.000Z', '2026-11-01T04:59:00.000Z'],
	['2026-11-01T01:30-05:00', '2026-11-01T06:30:00.000Z', '2026-11-01T06:30:00.000Z'],
	['2026-07-01 8:05 pm', '2026-07-02T00:05:00.000Z', '2026-07-02T00:05:00.000Z'],
])('%s is at %s, or at %s if it comes twice and the later one is meant', (text, earlier, later) => {
	for (const now of ['2026-07-15', '2026-12-15']) {
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.parse(now));
		expect(readDate(text, NEW_YORK, 'earlier')?.toJSON()).toBe(earlier);
		expect(readDate(text, NEW_YORK, 'later')?.toJSON()).toBe(later);
		clock.mockRestore();
	}
});

test.each([
	'2026-02-30',
	'31/01/2026',
	' '.repeat(40_000) + 'x',
	`2026-01-31${' '.repeat(40_000)}x`,
])('what is no date is refused', (text) => {
	expect(readDate(text, NEW_YORK, 'earlier')).toBeUndefined();
});
