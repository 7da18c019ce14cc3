/** What n8n has a part in: sending, receiving, and what a crash leaves. The tests that n8n 1.x goes through, too. */
import { startSandbox } from '../../sandbox/n8n/sandbox.ts';
import { isN8n1 } from '../../sandbox/n8n/versions.ts';
import './sending.ts';
import './receiving.ts';
import './crash.ts';
import './polling.ts';
import { SECRET } from './events.ts';
import { testHostile } from './hostile.ts';
import { testRetries } from './retries.ts';
import { sandbox, share } from './shared.ts';

share(() =>
	startSandbox({
		service: { messages: 0, agent: { enabled: false } },
		// As small as n8n allows, so that a large body need not be.
		n8n: { env: { N8N_PAYLOAD_SIZE_MAX: '1' } },
		credential: { data: { webhookSecret: SECRET } },
	}),
);

beforeEach(() => sandbox.service.reset('log', 'settings'));

// There are more of them in test/full.
testHostile(1, 50);

// n8n 1.x goes through them in test/full, as do all other operations.
if (!isN8n1) {
	const means = {
		connected: () => sandbox,
		crash: async (keepsLog: boolean) => await sandbox.n8n.crash(keepsLog),
	};
	// Those of executions that n8n has a log of are in crash.ts.
	for (const by of ['itself', 'user', 'killWithoutLog'] as const) {
		testRetries('agent.start', by, means);
	}
}
