/** What comes in from outside, in large numbers: wrong secrets and signatures, and a burst while n8n is killed. */
import { startSandbox } from '../../sandbox/n8n/sandbox.ts';
import { SECRET } from '../e2e/events.ts';
import { takeBurst } from '../e2e/burst.ts';
import { testHostile } from '../e2e/hostile.ts';
import { share, sandbox, testOnN8n2 } from '../e2e/shared.ts';

share(() =>
	startSandbox({
		service: { messages: 0, agent: { enabled: false } },
		n8n: { env: { N8N_PAYLOAD_SIZE_MAX: '1' } },
		credential: { data: { webhookSecret: SECRET } },
	}),
);

testHostile(180, 10_000);

// n8n 1.x answers an event before it has stored the execution, see docs/trigger.md.
testOnN8n2(
	'of more than 400 deliveries, none is lost that n8n has answered before it is killed',
	async () => {
		const check = await takeBurst(400);
		await sandbox.n8n.crash();
		await check();
	},
);
