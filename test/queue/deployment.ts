import type { Run } from '../../sandbox/n8n/flow.ts';
import type { N8n } from '../../sandbox/n8n/index.ts';
import { FRUGAL, NO_CODE_NODES, startConnected, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { startQueueMode, type QueueMode } from '../../sandbox/queue/index.ts';
import { startService, type Service, type ServiceOptions } from '../../sandbox/service/service.ts';
import { SECRET } from '../e2e/events.ts';

/** For hooks and tests: a run over both workers takes its time, on a busy machine. */
export const TIMEOUT_MS = 300_000;

/** n8n in queue mode, and a stand-in for the service that it is connected to. */
export type Deployment = Sandbox<Service, QueueMode>;

/** What the tests use; it takes so long to start that they share it. */
export let deployment: Deployment;

/** Starts all before the tests, and stops it after them. */
export function deploy(service: ServiceOptions): void {
	const env = {
		...FRUGAL,
		...NO_CODE_NODES,
		// A worker that died is found out soon.
		QUEUE_WORKER_LOCK_DURATION: '15000',
		QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
		QUEUE_WORKER_STALLED_INTERVAL: '5000',
	};
	beforeAll(async () => {
		deployment = await startConnected(
			() => startService(service),
			() => startQueueMode(env),
			{ data: { webhookSecret: SECRET } },
		);
	});
	afterAll(() => deployment?.stop());
}

/** Which of the workers has started an execution. */
export function workerOf({ id }: Pick<Run, 'id'>): N8n {
	const found = deployment.n8n.workers.find((worker) =>
		worker.log().includes(`Worker started execution ${id} `),
	);
	if (!found) throw new Error(`No worker started execution ${id}.`);
	return found;
}
