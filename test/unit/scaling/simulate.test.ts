import { simulate, type Deployment } from '../../../benchmarks/scaling/simulate.ts';

const ALONE: Deployment = {
	teams: 1,
	leadsPerTeam: 2_500,
	startsWithin: 0,
	workers: 1,
	slots: 10,
	callsPerSecond: 100_000,
	limit: 1_000,
};

it('takes as long as the limit alone where nothing else is scarce', () => {
	const { calls, delay, finished } = simulate(ALONE, () => 0);
	expect(calls).toBe(Math.round(2_500 * Math.exp(-0.5)));
	expect(delay).toEqual({ median: 0, p95: 0 });
	expect(finished).toBe(Math.floor((calls - 1) / 1_000) * 60 + 1);
});

it('makes runs wait for a slot', () => {
	const { mostWaiting, finished } = simulate({ ...ALONE, teams: 15, workers: 1 }, () => 0);
	expect(mostWaiting).toBe(5);
	expect(finished).toBe(2 * 61);
});

it('is bound by the processor where that is slow', () => {
	const { calls, finished, load } = simulate({ ...ALONE, callsPerSecond: 10 }, () => 0);
	expect(finished).toBe(Math.ceil(calls / 10));
	expect(load).toBeCloseTo(1, 1);
});

it('gets no slower with more workers', () => {
	const random = () => 0.1;
	const few = simulate({ ...ALONE, teams: 100, callsPerSecond: 50, workers: 2 }, random);
	const many = simulate({ ...ALONE, teams: 100, callsPerSecond: 50, workers: 8 }, random);
	expect(many.calls).toBe(few.calls);
	expect(many.finished).toBeLessThan(few.finished);
});
