import { randomBytes } from 'node:crypto';

import { N8n } from '../n8n/index.ts';
import { findLastingPort, LOOPBACK } from '../n8n/ports.ts';
import type { Role } from '../n8n/process.ts';
import type { RestClient } from '../n8n/rest.ts';
import { createPostgres, postgresSettings } from './postgres.ts';
import { createFolder, type Program, removeFolder } from './program.ts';
import { createRedis, redisSettings } from './redis.ts';

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

/** n8n in queue mode: a main, two workers and a webhook processor over PostgreSQL and Redis. */
export interface QueueMode {
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

/** Starts all of it, on this machine only, with settings for all n8n processes. */
export async function startQueueMode(env: Record<string, string>): Promise<QueueMode> {
	const cleanUps: Array<() => Promise<void>> = [];
	const close = async () => {
		for (const cleanUp of cleanUps.reverse()) await cleanUp();
	};
	const stopLater = (program: Program) => {
		cleanUps.push(() => program.stop());
		return program;
	};
	const folder = async (name: string) => {
		const path = await createFolder(name);
		cleanUps.push(() => removeFolder(path));
		return path;
	};
	try {
		const postgresPort = await findLastingPort();
		const redisPort = await findLastingPort();
		const webhookPort = await findLastingPort();
		const postgres = stopLater(await createPostgres(await folder('postgres'), postgresPort));
		const redis = stopLater(createRedis(await folder('redis'), redisPort));
		const webhookUrl = `http://${LOOPBACK}:${webhookPort}`;
		const settings = {
			...SETTINGS,
			...postgresSettings(postgresPort),
			...redisSettings(redisPort),
			WEBHOOK_URL: `${webhookUrl}/`,
			N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
			...env,
		};
		const member = async (role: Role, port?: number) => {
			const created = await N8n.create({ role, port, env: settings });
			cleanUps.push(() => created.close());
			return created;
		};
		await allOf([postgres.start(), redis.start()]);
		const [main, webhook, ...workers] = await allOf([
			member('main'),
			member('webhook', webhookPort),
			member('worker'),
			member('worker'),
		]);
		// It makes the tables that the others need.
		await main.start();
		await allOf([webhook, ...workers].map((one) => one.start()));
		await allOf([main, webhook, ...workers].map((one) => one.ready()));
		const { url, rest } = main;
		return { url, rest, webhookUrl, workers, close };
	} catch (error) {
		await close();
		throw error;
	}
}
