import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';

import { N8n, type N8nOptions } from '../n8n/index.ts';
import { findLastingPort, LOOPBACK } from '../n8n/ports.ts';
import type { RestClient } from '../n8n/rest.ts';
import { until } from '../n8n/until.ts';
import { createFolder, postgresSettings, startPostgres, startRedis } from './servers.ts';

/** How many executions a worker takes at the same time. */
export const WORKER_CONCURRENCY = 5;

const SETTINGS = {
	EXECUTIONS_MODE: 'queue',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	QUEUE_HEALTH_CHECK_ACTIVE: 'true',
	N8N_DISABLE_UI: 'true',
	N8N_WORKER_SERVER_ADDRESS: LOOPBACK,
	N8N_CONCURRENCY_PRODUCTION_LIMIT: String(WORKER_CONCURRENCY),
	// Webhooks are the webhook processor's business alone.
	N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
};

const READY_TIMEOUT_MS = 90_000;

/** n8n in queue mode: a main, two workers and a webhook processor over PostgreSQL and Redis. */
export interface QueueMode {
	main: N8n;
	/** The webhook processor. */
	webhook: N8n;
	/** The address of the main. */
	url: string;
	/** The API of the main, with the owner logged in. */
	rest: RestClient;
	/** The address of the webhook processor. */
	webhookUrl: string;
	workers: [N8n, N8n];
	/** Stops all of it for good. */
	close(): Promise<void>;
}

/** Like Promise.all, but a failure is not told before the others have ended too: they could not be stopped. */
async function allOf<const Work extends readonly unknown[]>(work: Work) {
	await Promise.allSettled(work);
	return await Promise.all(work);
}

/** Waits until a process says that it has its database and its queue. */
async function ready({ url }: N8n): Promise<void> {
	const isReady = () =>
		fetch(`${url}/healthz/readiness`).then(
			({ ok }) => ok,
			() => false,
		);
	await until(`n8n at ${url} is ready`, isReady, { timeoutMs: READY_TIMEOUT_MS });
}

/** Starts all of it, on this machine only, with settings for all n8n processes. */
export async function startQueueMode(env: Record<string, string>): Promise<QueueMode> {
	const cleanUps: Array<() => Promise<void>> = [];
	const close = async () => {
		for (const cleanUp of cleanUps.reverse()) await cleanUp();
	};
	/** Starts a server in a folder of its own, and gives its port. */
	const serve = async (start: typeof startRedis, name: string) => {
		const folder = await createFolder(name);
		cleanUps.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
		const port = await findLastingPort();
		const server = await start(folder, port);
		cleanUps.push(() => server.stop());
		return port;
	};
	try {
		const postgresPort = await serve(startPostgres, 'postgres');
		const redisPort = await serve(startRedis, 'redis');
		const webhookPort = await findLastingPort();
		const webhookUrl = `http://${LOOPBACK}:${webhookPort}`;
		const settings = {
			...SETTINGS,
			...postgresSettings(postgresPort),
			QUEUE_BULL_REDIS_HOST: LOOPBACK,
			QUEUE_BULL_REDIS_PORT: String(redisPort),
			WEBHOOK_URL: `${webhookUrl}/`,
			N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
			...env,
		};
		const create = async (role: N8nOptions['role'], port?: number) => {
			const created = await N8n.create({ role, port, env: settings });
			cleanUps.push(() => created.close());
			return created;
		};
		const [main, webhook, ...workers] = await allOf([
			create('main'),
			create('webhook', webhookPort),
			create('worker'),
			create('worker'),
		]);
		// It makes the tables that the others need.
		await main.start();
		await allOf([webhook, ...workers].map((one) => one.start()));
		await allOf([main, webhook, ...workers].map(ready));
		const { url, rest } = main;
		return { main, webhook, url, rest, webhookUrl, workers, close };
	} catch (error) {
		await close();
		throw error;
	}
}
