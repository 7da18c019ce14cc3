import { parseArgs } from 'node:util';

export const USAGE = `Measures these nodes beside n8n's own, HTTP Request and Webhook, on the same n8n and the same
stand-in.

Usage: npm run bench -- [options]

  --only <cases>     some of: list, invoke, growth, once, limit, memory, load, events (divided by commas)
  --quick            without "limit", which waits for the real rate limit and takes long
  --rounds <number>  measured rounds per case, after a warm-up (5)
  --help             show this
`;

export const CASE_NAMES = [
	'list',
	'invoke',
	'growth',
	'once',
	'limit',
	'memory',
	'load',
	'events',
] as const;

export type CaseName = (typeof CASE_NAMES)[number];

export interface Options {
	help: boolean;
	rounds: number;
	cases: CaseName[];
}

/** The command line is not as it should be. */
export class UsageError extends Error {}

const isCaseName = (name: string): name is CaseName => CASE_NAMES.some((known) => known === name);

function parseCases(only: string | undefined, quick: boolean): CaseName[] {
	if (only === undefined) return CASE_NAMES.filter((name) => !quick || name !== 'limit');
	return only.split(',').map((name) => {
		if (isCaseName(name)) return name;
		throw new UsageError(`There is no case "${name}". There are: ${CASE_NAMES.join(', ')}.`);
	});
}

function parseRounds(value: string): number {
	if (/^[1-9]\d?$/.test(value)) return Number(value);
	throw new UsageError(`--rounds takes a number from 1 to 99, not "${value}".`);
}

function parse(args: string[]) {
	try {
		return parseArgs({
			args,
			options: {
				help: { type: 'boolean', default: false },
				quick: { type: 'boolean', default: false },
				only: { type: 'string' },
				rounds: { type: 'string', default: '5' },
			},
		}).values;
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

/** Reads the command line. */
export function parseOptions(args: string[]): Options {
	const { help, quick, only, rounds } = parse(args);
	return { help, rounds: parseRounds(rounds), cases: parseCases(only, quick) };
}
