import { parseArgs } from 'node:util';

import { generateMersenne53Randomizer } from '@faker-js/faker';

import { simulate, type Deployment } from './simulate.ts';

const USAGE = `Simulates the busiest hour of a large deployment, for growing numbers of workers.

Usage: npm run simulate -- [options]

  --teams <number>      teams, each with one run (10000)
  --leads <number>      leads of an average team (500)
  --within <minutes>    within which all runs begin (60)
  --workers <numbers>   to compare, divided by commas (2,4,8,16,32)
  --slots <number>      executions that a worker runs at once (10, as n8n's workers do)
  --calls <number>      webhook calls that one worker can make per second (300)
  --limit <number>      calls that the service takes from a team within 60 seconds (1000)
  --help                show this
`;

const { values } = parseArgs({
	options: {
		teams: { type: 'string', default: '10000' },
		leads: { type: 'string', default: '500' },
		within: { type: 'string', default: '60' },
		workers: { type: 'string', default: '2,4,8,16,32' },
		slots: { type: 'string', default: '10' },
		calls: { type: 'string', default: '300' },
		limit: { type: 'string', default: '1000' },
		help: { type: 'boolean', default: false },
	},
});

/** The same numbers for each deployment, so that only what is compared differs. */
function sameRandom(): () => number {
	const randomizer = generateMersenne53Randomizer(1);
	return () => randomizer.next();
}

const minutes = (seconds: number) => `${(seconds / 60).toFixed(1)} min`;

function row(deployment: Deployment): Record<string, string | number> {
	const { delay, finished, mostWaiting, load } = simulate(deployment, sameRandom());
	return {
		workers: deployment.workers,
		'longer than the limit, median': minutes(delay.median),
		'95th percentile': minutes(delay.p95),
		'all done after': minutes(finished),
		'most waiting runs': mostWaiting,
		'processor load': `${Math.round(load * 100)} %`,
	};
}

if (values.help) {
	console.log(USAGE);
} else {
	const common = {
		teams: Number(values.teams),
		leadsPerTeam: Number(values.leads),
		startsWithin: Number(values.within),
		slots: Number(values.slots),
		callsPerSecond: Number(values.calls),
		limit: Number(values.limit),
	};
	const { calls } = simulate({ ...common, workers: 1_000 }, sameRandom());
	console.log(
		`${common.teams.toLocaleString('en')} teams, ${calls.toLocaleString('en')} webhook calls, begun within ${common.startsWithin} minutes\n`,
	);
	console.table(
		values.workers.split(',').map((workers) => row({ ...common, workers: Number(workers) })),
	);
}
