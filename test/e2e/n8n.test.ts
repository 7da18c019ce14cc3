/** What n8n has a part in: sending, receiving, and what a crash leaves. The tests that n8n 1.x goes through, too. */
import { startSandbox } from '../../sandbox/n8n/sandbox.ts';
import './sending.ts';
import './receiving.ts';
import './hostile.ts';
import './crash.ts';
import './polling.ts';
import { SECRET } from './events.ts';
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
