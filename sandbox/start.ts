import { runOnce, startDemo } from './demo/demo.ts';
import { parseOptions, USAGE, UsageError, type Options } from './demo/options.ts';
import { endSignal, exitCodeOf } from './endSignal.ts';

const WRONG_USAGE = 2;

const aborted = (signal: AbortSignal) =>
	new Promise<void>((resolve) => {
		if (signal.aborted) resolve();
		else signal.addEventListener('abort', () => resolve(), { once: true });
	});

async function serveUntil(options: Options, signal: AbortSignal): Promise<number> {
	const running = await startDemo(options, signal);
	const n8nEnded = running.n8n.exited.then(() => 'n8n' as const);
	const ended = await Promise.race([aborted(signal), n8nEnded]);
	if (ended === 'n8n') console.error(`n8n ended by itself:\n${running.n8n.log().slice(-2000)}`);
	else console.log('\nStopping …');
	await running.stop();
	return ended === 'n8n' ? 1 : 0;
}

async function run(options: Options, signal: AbortSignal): Promise<number> {
	try {
		if (!options.once) return await serveUntil(options, signal);
		return (await runOnce(options, signal)) ? 0 : 1;
	} catch (error) {
		if (!signal.aborted) throw error;
		console.log('\nStopped before the end.');
		return exitCodeOf(signal.reason);
	}
}

async function main(): Promise<number> {
	const options = parseOptions(process.argv.slice(2), process.env);
	if (!options.help) return await run(options, endSignal());
	console.log(USAGE);
	return 0;
}

try {
	process.exitCode = await main();
} catch (error) {
	const expected = error instanceof UsageError;
	console.error(expected ? `${error.message}\n\n${USAGE}` : error);
	process.exitCode = expected ? WRONG_USAGE : 1;
}
