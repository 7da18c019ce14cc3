import { parseArgs } from 'node:util';

/** So long a run is one to report on. */
export const FULL_MINUTES = 30;

export const USAGE = `Runs schedules, webhooks, events, faults and restarts at once for a long time, and counts.

Usage: npm run soak -- [options]

  --minutes <number>   how long (${FULL_MINUTES}); a shorter run writes no report
  --help               show this
`;

export interface SoakOptions {
	help: boolean;
	minutes: number;
}

/** Reads the command line. */
export function parseSoakOptions(args: string[]): SoakOptions {
	const { values } = parseArgs({
		args,
		options: {
			minutes: { type: 'string', default: String(FULL_MINUTES) },
			help: { type: 'boolean', default: false },
		},
	});
	const minutes = Number(values.minutes);
	if (!(minutes >= 2)) throw new TypeError('--minutes takes a number of at least 2.');
	return { help: values.help, minutes };
}
