/** `npm start`: n8n with the nodes, the examples and a stand-in for the service, to look around. */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { describeDemo, startDemo } from './demo/demo.ts';
import { endSignal, exitCodeOf } from './endSignal.ts';
import { CACHE, PACKAGE_NAME, ROOT } from './n8n/paths.ts';
import { findFreePort } from './n8n/ports.ts';

const USAGE = `Usage: npm start -- [options]

  --port <number>          port of n8n (5678 unless taken)
  --service-port <number>  port of the stand-in (8099 unless taken)
  --fresh                  discard what was changed in this n8n since the first start
  --watch                  take changes of the code over while n8n runs
`;

const OPTIONS = {
	port: { type: 'string', default: '5678' },
	'service-port': { type: 'string', default: '8099' },
	fresh: { type: 'boolean', default: false },
	watch: { type: 'boolean', default: false },
} as const;

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Work done in the editor stays here from one start to the next. */
const FOLDER = join(CACHE, 'demo');
/** What n8n says of events that start nothing, for example. */
const LOG = join(FOLDER, 'n8n.log');

/** Compiles what is changed right into the package that n8n has loaded, which then loads it again. */
function compileChanges(signal: AbortSignal): void {
	const installed = join(FOLDER, '.n8n', 'nodes', 'node_modules', PACKAGE_NAME, 'dist');
	const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
	const args = [compiler, '--watch', '--preserveWatchOutput', '--outDir', installed];
	const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
	signal.addEventListener('abort', () => child.kill());
	process.once('exit', () => child.kill());
}

/** Serves until it is told to end, or n8n ends by itself. */
async function serve(options: Options, signal: AbortSignal): Promise<number> {
	console.log('Starting the service and n8n …');
	const servicePort = await findFreePort(Number(options['service-port']));
	const port = Number(options.port);
	const env = {
		N8N_LOG_OUTPUT: 'console,file',
		N8N_LOG_FILE_LOCATION: LOG,
		...(options.watch && { N8N_DEV_RELOAD: 'true' }),
	};
	const demo = await startDemo({ userFolder: FOLDER, port, servicePort, env, signal });
	console.log(describeDemo(demo, LOG));
	if (options.watch) compileChanges(signal);
	const asked = new Promise<void>((resolve) => {
		if (signal.aborted) resolve();
		else signal.addEventListener('abort', () => resolve());
	});
	await Promise.race([asked, demo.n8n.exited]);
	if (signal.aborted) console.log('\nStopping …');
	else console.error(`n8n ended by itself:\n${demo.n8n.log().slice(-2000)}`);
	await demo.stop();
	return signal.aborted ? 0 : 1;
}

/** Undefined when they are not as they should be. */
function parseOptions(args: string[]): Options | undefined {
	try {
		const { values } = parseArgs({ args, options: OPTIONS });
		const ports = [values.port, values['service-port']].map(Number);
		const areUsable = ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536);
		return areUsable ? values : undefined;
	} catch {
		return undefined;
	}
}

async function main(args: string[]): Promise<number> {
	const options = parseOptions(args);
	if (!options) {
		console.error(USAGE);
		return 2;
	}
	const signal = endSignal();
	try {
		if (options.fresh) await rm(FOLDER, { recursive: true, force: true });
		return await serve(options, signal);
	} catch (error) {
		if (!signal.aborted) throw error;
		return exitCodeOf(signal.reason);
	}
}

process.exitCode = await main(process.argv.slice(2));
