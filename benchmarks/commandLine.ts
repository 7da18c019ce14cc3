import { endSignal, exitCodeOf } from '../sandbox/endSignal.ts';

const WRONG_USAGE = 2;

/**
 * Runs a command until it is done or a signal ends it; what it gives says whether all is well. Says how it is
 * used when it is asked to, or when `parse` throws.
 */
export async function runCommand<Options extends { help: boolean }>(
	usage: string,
	parse: () => Options,
	run: (options: Options, signal: AbortSignal) => Promise<boolean>,
): Promise<number> {
	let options: Options;
	try {
		options = parse();
	} catch (error) {
		console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
		return WRONG_USAGE;
	}
	if (options.help) {
		console.log(usage);
		return 0;
	}
	const signal = endSignal();
	try {
		return (await run(options, signal)) ? 0 : 1;
	} catch (error) {
		if (!signal.aborted) throw error;
		console.log('\nStopped before the end; nothing was written.');
		return exitCodeOf(signal.reason);
	}
}
