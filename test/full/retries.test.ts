/** Every operation that must not happen twice, in a real n8n: retries of executions that ended in every way. */
import { startSandbox } from '../../sandbox/n8n/sandbox.ts';
import { isN8n1 } from '../../sandbox/n8n/versions.ts';
import { testRetries, writes } from '../e2e/retries.ts';
import { sandbox, share } from '../e2e/shared.ts';

share(startSandbox);

const means = {
	connected: () => sandbox,
	crash: async (keepsLog: boolean) => await sandbox.n8n.crash(keepsLog),
	// Of a stopped execution, n8n 1.x stores no more than what is behind it.
	mayRunNothing: isN8n1 ? (['user'] as const) : [],
};

for (const operation of writes) {
	for (const by of ['itself', 'user', 'kill', 'killWithoutLog'] as const) {
		testRetries(operation, by, means);
	}
}
