import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { upsertCredential, type CredentialReference } from '../n8n/credentials.ts';
import { OWNER, startN8n, type N8n } from '../n8n/index.ts';
import { CACHE } from '../n8n/paths.ts';
import { startBackend, type Backend } from './backend.ts';
import { readExamples } from './examples.ts';
import { importExamples } from './importExamples.ts';
import type { Options } from './options.ts';
import { reportOn } from './report.ts';
import { CREDENTIAL_TYPE, runExamples } from './runExamples.ts';

/**
 * Work done in the editor stays here from one start to the next. With a real service nothing is
 * kept, so that its key does not stay behind on the disk.
 */
const DEMO_FOLDER = join(CACHE, 'demo');

export interface Running {
	n8n: N8n;
	backend: Backend;
	credential: CredentialReference;
	stop(): Promise<void>;
}

/** Starts the service and n8n, with a credential that connects the two. */
export async function startAll(
	options: Options,
	signal: AbortSignal,
	userFolder?: string,
): Promise<Running> {
	const backend = await startBackend(options);
	let n8n: N8n | undefined;
	const stop = async () => {
		await n8n?.stop();
		await backend.close();
	};
	try {
		n8n = await startN8n({ userFolder, port: options.port, signal });
		const credential = await upsertCredential(n8n.rest, {
			name: options.realService ? 'Messaging Service' : 'Messaging Service (stand-in)',
			type: CREDENTIAL_TYPE,
			data: {
				baseUrl: backend.url,
				apiKey: backend.apiKey,
				...(backend.standIn && { webhookSecret: backend.standIn.webhookSecret }),
			},
		});
		return { n8n, backend, credential, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

function box(lines: string[]): string {
	const width = Math.max(...lines.map((line) => line.length));
	return [
		`╭${'─'.repeat(width + 4)}╮`,
		...lines.map((line) => `│  ${line.padEnd(width)}  │`),
		`╰${'─'.repeat(width + 4)}╯`,
	].join('\n');
}

function notePort(what: string, wanted: number, got: number): void {
	if (wanted !== got) console.log(`Port ${wanted} is taken, so ${what} uses port ${got}.`);
}

/** Starts everything for a look around; the caller decides when it stops. */
export async function startDemo(options: Options, signal: AbortSignal): Promise<Running> {
	if (options.fresh) await rm(DEMO_FOLDER, { recursive: true, force: true });
	console.log('Starting the service and n8n …');
	const folder = options.realService ? undefined : DEMO_FOLDER;
	const running = await startAll(options, signal, folder);
	try {
		const { n8n, backend, credential } = running;
		const examples = await readExamples();
		const standIn = backend.standIn?.service;
		await importExamples(examples, { n8n, credential, standIn, signal });
		notePort('n8n', options.port, n8n.port);
		if (!options.realService) {
			notePort('the stand-in', options.servicePort, Number(new URL(backend.url).port));
		}
		console.log(
			box([
				`n8n           ${n8n.url}`,
				`  email       ${OWNER.email}`,
				`  password    ${OWNER.password}`,
				`service       ${backend.url}${options.realService ? '' : '  (stand-in, invented data)'}`,
				`credential    ${credential.name}`,
				'',
				`Look at first: the ${examples.length} example workflows. Open one, click "Execute workflow".`,
				...(standIn
					? [
							'A customer has written: see the executions of "Answer inbound messages".',
							'To write again, execute "A customer writes (demo only)".',
						]
					: []),
				...(folder ? ['Run them all and see what each node does:  npm start -- --once'] : []),
				folder
					? 'Your changes stay until  npm start -- --fresh'
					: 'Nothing is kept: this n8n and the key in it are removed at the end.',
				'',
				'Stop with Ctrl-C.',
			]),
		);
		return running;
	} catch (error) {
		await running.stop();
		throw error;
	}
}

/** Runs all examples in an n8n of their own, prints what each node did, and stops everything. */
export async function runOnce(options: Options, signal: AbortSignal): Promise<boolean> {
	console.log('Starting the service and n8n …');
	const running = await startAll({ ...options, port: 0, servicePort: 0 }, signal);
	try {
		const examples = await readExamples();
		const started = Date.now();
		const readOnly = options.realService !== undefined && !options.yesSend;
		const { n8n, backend, credential } = running;
		const standIn = backend.standIn?.service;
		const results = await runExamples(n8n, examples, { credential, standIn, readOnly, signal });
		const { text, ok } = reportOn(results, Date.now() - started);
		console.log(`\n${text}`);
		return ok;
	} finally {
		await running.stop();
	}
}
