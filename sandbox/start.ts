/** `npm start`: n8n with the nodes, the examples and a stand-in for the service, to look around. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { describeDemo, startDemo } from './demo/demo.ts';
import { endSignal, exitCodeOf } from './endSignal.ts';
import { CACHE } from './n8n/paths.ts';
import { findFreePort } from './n8n/ports.ts';

const USAGE = `Usage: npm start -- [--fresh]

  --fresh  discard what was changed in this n8n since the first start
`;

/** Work done in the editor stays here from one start to the next. */
const FOLDER = join(CACHE, 'demo');

/** Serves until it is told to end, or n8n ends by itself. */
async function serve(signal: AbortSignal): Promise<number> {
	const servicePort = await findFreePort(8099);
	const demo = await startDemo({ userFolder: FOLDER, port: 5678, servicePort, signal });
	console.log(describeDemo(demo));
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

async function main(args: string[]): Promise<number> {
	if (args.some((arg) => arg !== '--fresh')) {
		console.error(USAGE);
		return 2;
	}
	const signal = endSignal();
	if (args.length > 0) await rm(FOLDER, { recursive: true, force: true });
	console.log('Starting the service and n8n …');
	try {
		return await serve(signal);
	} catch (error) {
		if (!signal.aborted) throw error;
		return exitCodeOf(signal.reason);
	}
}

process.exitCode = await main(process.argv.slice(2));
