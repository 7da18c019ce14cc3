import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { startN8n, type N8nOptions } from '../n8n/index.ts';
import { OWNER } from '../n8n/owner.ts';
import { CACHE } from '../n8n/paths.ts';
import { findFreePort } from '../n8n/ports.ts';
import { FRUGAL, startConnected, type Backend, type Sandbox } from '../n8n/sandbox.ts';
import { seeded, startService, type Service } from '../service/service.ts';
import { readExamples } from './examples.ts';
import { importExamples } from './importExamples.ts';
import type { Options } from './options.ts';
import { reportOn } from './report.ts';
import { runExamples } from './runExamples.ts';

/**
 * Work done in the editor stays here from one start to the next. With a real service nothing is
 * kept, so that its key does not stay behind on the disk.
 */
const DEMO_FOLDER = join(CACHE, 'demo');

/** What the stand-in sends with its events, and the trigger asks for. */
const WEBHOOK_SECRET = 'demo-webhook-secret';

const [WEBHOOK_ID = ''] = seeded.demo.webhookIds;

/** The service that the nodes talk to: a real one or the stand-in. */
interface DemoBackend extends Backend {
	standIn?: Service;
}

/** Enough to see what each step does. */
const MESSAGES_ONCE = 300;

async function startBackend({ realService, servicePort, once }: Options): Promise<DemoBackend> {
	if (realService) return { url: realService.url, close: async () => undefined };
	const standIn = await startService({
		port: await findFreePort(servicePort),
		messages: once ? MESSAGES_ONCE : undefined,
		events: { signing: { kind: 'sharedSecret', secret: WEBHOOK_SECRET } },
	});
	return { url: standIn.url, standIn, close: () => standIn.close() };
}

/** Starts the service and n8n, with a credential that connects the two. */
export async function startAll(
	options: Options,
	n8n: Pick<N8nOptions, 'userFolder' | 'env' | 'signal'> = {},
): Promise<Sandbox<DemoBackend>> {
	const { realService, port } = options;
	return await startConnected(
		() => startBackend(options),
		() => startN8n({ ...n8n, port }),
		realService
			? { name: 'Messaging Service', data: { apiKey: realService.apiKey } }
			: { name: 'Messaging Service (stand-in)', data: { webhookSecret: WEBHOOK_SECRET } },
	);
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
export async function startDemo(
	options: Options,
	signal: AbortSignal,
): Promise<Sandbox<DemoBackend>> {
	if (options.fresh) await rm(DEMO_FOLDER, { recursive: true, force: true });
	console.log('Starting the service and n8n …');
	const folder = options.realService ? undefined : DEMO_FOLDER;
	const running = await startAll(options, { userFolder: folder, signal });
	try {
		const { n8n, service, credential } = running;
		const examples = await readExamples();
		const { standIn } = service;
		await importExamples(examples, { n8n, credential, standIn, signal });
		notePort('n8n', options.port, n8n.port);
		if (!options.realService) {
			notePort('the stand-in', options.servicePort, Number(new URL(service.url).port));
		}
		console.log(
			box([
				`n8n           ${n8n.url}`,
				`  email       ${OWNER.email}`,
				`  password    ${OWNER.password}`,
				`service       ${service.url}${options.realService ? '' : '  (stand-in, invented data)'}`,
				`credential    ${credential.name}`,
				...(standIn
					? [
							`  API key     ${seeded.demo.apiKey}`,
							`  secret      ${WEBHOOK_SECRET}  (Webhook Secret)`,
							`agent         ${service.url}/public/pipelines/webhook/${WEBHOOK_ID}`,
						]
					: []),
				'',
				`Look at first: the ${examples.length} example workflows. Open one, click "Execute workflow".`,
				...(standIn
					? [
							'For a first text of your own, paste the address of the agent as "Webhook".',
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
	const running = await startAll({ ...options, port: 0, servicePort: 0 }, { env: FRUGAL, signal });
	try {
		const examples = await readExamples();
		const started = Date.now();
		const readOnly = options.realService !== undefined && !options.yesSend;
		const { n8n, service, credential } = running;
		const { standIn } = service;
		const results = await runExamples(n8n, examples, { credential, standIn, readOnly, signal });
		const { text, ok } = reportOn(results, Date.now() - started);
		console.log(`\n${text}`);
		return ok;
	} finally {
		await running.stop();
	}
}
