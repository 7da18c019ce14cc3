import { parseArgs } from 'node:util';

export const USAGE = `Runs schedules, webhooks, events, faults and restarts at once for a long time, and counts.

Usage: npm run soak -- [options]

  --minutes <number>   how long (30)
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
			minutes: { type: 'string', default: '30' },
			help: { type: 'boolean', default: false },
		},
	});
	const minutes = Number(values.minutes);
	if (!(minutes >= 2)) throw new TypeError('--minutes takes a number of at least 2.');
	return { help: values.help, minutes };
}
