/** The same in n8n's queue mode: the workers are killed, and then all of n8n. */
import { startConnected, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { startQueueMode, type QueueMode } from '../../sandbox/queue/index.ts';
import { startService } from '../../sandbox/service/service.ts';
import { testRetries, writes } from '../e2e/retries.ts';
import { SETTINGS } from '../queue/settings.ts';

jest.setTimeout(600_000);

let deployment: Sandbox<QueueMode>;

beforeAll(async () => {
	const settings = {
		...SETTINGS,
		// All executions of a group are under way at the same time.
		N8N_CONCURRENCY_PRODUCTION_LIMIT: '100',
		// In n8n 1.x, another worker would begin the execution of a dead one anew, as if it were the first to do so.
		QUEUE_WORKER_MAX_STALLED_COUNT: '0',
		// Minutes between the looks for executions that nothing runs any more. Each look may take one for dead that is
		// just on its way to a worker.
		N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '0.5',
	};
	deployment = await startConnected(
		() => startService(),
		() => startQueueMode(settings),
	);
});

afterAll(() => deployment?.stop());

const means = {
	connected: () => deployment,
	async crash(keepsLog: boolean) {
		const { main, webhook, workers } = deployment.n8n;
		// The main and the webhook processor that outlive a worker note what became of its executions.
		const killed = keepsLog ? workers : [main, webhook, ...workers];
		await Promise.all(killed.map((each) => each.crash(keepsLog)));
	},
	// What they note, of a dead worker and after a stop, has no step left. A restarted worker may come before them.
	mayRunNothing: ['user', 'kill'] as const,
};

for (const operation of writes) {
	for (const by of ['itself', 'user', 'kill', 'killWithoutLog'] as const) {
		testRetries(operation, by, means);
	}
}
