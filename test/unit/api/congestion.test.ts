import { CongestionWindow } from '../../../nodes/MessagingService/api/congestion';
import { type Answer, failure } from '../../../nodes/MessagingService/api/request';
import { response } from '../helpers/api';

const START = 64;
const FINE = response(202);
const LOST = response(503);

/** A window, and rounds of requests that are under way at once; what one gives is the size after it. */
function windowOf() {
	let now = 0;
	const window = new CongestionWindow({ now: () => now });
	const round = (answer: Answer, { latency = 100, count = window.size } = {}) => {
		const ends = Array.from({ length: count }, () => window.begin());
		now += latency;
		for (const end of ends) end(answer);
		return window.size;
	};
	return { window, round };
}

test('starts at 64 and grows with each round trip while the latency stays', () => {
	const { window, round } = windowOf();
	expect(window.size).toBe(START);
	const first = round(FINE);
	expect(first).toBeGreaterThan(START);
	expect(round(FINE)).toBeGreaterThan(first);
	// What the answer says of the request does not matter.
	expect(round(response(400))).toBeGreaterThan(first);
});

test.each([
	...[408, 429, 499, 500, 503].map((status) => response(status)),
	...(['notSent', 'broken', 'timeout'] as const).map((reason) => failure(reason)),
])('halves once for a round trip with losses, and then grows slowly: $status $reason', (loss) => {
	const { round } = windowOf();
	expect(round(loss)).toBe(START / 2);
	expect(round(loss)).toBe(START / 4);
	for (let rounds = 0; rounds < 8; rounds++) round(FINE);
	const size = round(FINE);
	expect(size).toBeGreaterThan(START / 4);
	expect(size).toBeLessThan(START / 2);
});

test('never goes below 1', () => {
	const { round } = windowOf();
	for (let rounds = 0; rounds < 10; rounds++) round(LOST);
	expect(round(LOST)).toBe(1);
});

test('does not grow when the latency rises', () => {
	const { round } = windowOf();
	const size = round(FINE);
	expect(round(FINE, { latency: 221 })).toBe(size);
	expect(round(FINE, { latency: 220 })).toBeGreaterThan(size);
});
