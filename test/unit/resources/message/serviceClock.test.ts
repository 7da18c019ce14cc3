import { ServiceClock } from '../../../../nodes/MessagingService/resources/message/serviceClock';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const SECOND = 1_000;

/** A clock after one answer: how far ahead the time in it was when it came, and how long it took. */
function after(ahead: number, took = 0): ServiceClock {
	const clock = new ServiceClock();
	clock.note(new Date(NOON + ahead), NOON - took, NOON);
	return clock;
}

test('as long as no answer has told the time, it is taken for that of this machine, and may be any earlier', () => {
	const clock = new ServiceClock();
	expect(clock.latest(NOON)).toBe(NOON);
	expect(clock.earliest(NOON)).toBe(-Infinity);
	clock.note(undefined, NOON, NOON);
	expect(clock.latest(NOON)).toBe(NOON);
});

test.each([
	['a clock that is ahead', 5 * SECOND, 5 * SECOND],
	['a clock that is behind', -5 * SECOND, -5 * SECOND],
])('of %s, the time is known to the second', (_what, ahead, earliest) => {
	expect(after(ahead).latest(NOON)).toBe(NOON + ahead + SECOND);
	expect(after(ahead).earliest(NOON)).toBe(NOON + earliest);
});

test('an answer that took long was told at its end', () => {
	expect(after(0, 100).latest(NOON)).toBe(NOON + SECOND + 100);
	expect(after(0, 60 * SECOND).latest(NOON)).toBe(NOON + SECOND + 500);
});

test('each answer may narrow it down', () => {
	const clock = after(0, 400);
	clock.note(new Date(NOON + SECOND), NOON + SECOND, NOON + SECOND);
	clock.note(new Date(NOON), NOON + 900, NOON + 900);
	expect(clock.latest(NOON)).toBe(NOON + 100);
	expect(clock.earliest(NOON)).toBe(NOON);
});

test('a time that is a day off is that of no clock', () => {
	const day = 24 * 60 * 60 * SECOND;
	expect(after(day).latest(NOON)).toBe(NOON);
	expect(after(-day).latest(NOON)).toBe(NOON);
	expect(after(day - SECOND).latest(NOON)).toBe(NOON + day);
});
