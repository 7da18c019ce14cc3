/** n8n is killed in the middle of a bulk run. */
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { until } from '../../sandbox/n8n/until.ts';
import {
	activateCalled,
	arrivedAt,
	expectCompleted,
	missingAt,
	newLeads,
	textingOnce,
} from './texting.ts';

jest.setTimeout(3 * START_TIMEOUT_MS);

const CONCURRENCY = 10;

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		service: {
			messages: 0,
			agent: { enabled: false },
			rateLimit: { enabled: false },
			latencyMs: 150,
		},
	});
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

test('n8n is killed while it texts 1,000 leads: no lead gets two texts, and none is lost', async () => {
	const { n8n, service } = sandbox;
	const leads = newLeads(1_000);
	const texting = await activateCalled(sandbox, textingOnce({ concurrency: CONCURRENCY }));
	await texting.start({ list: leads });
	await until('a third has arrived', () => arrivedAt(service).length > leads.length / 3);
	await n8n.kill();
	await n8n.start();
	await service.configure({ latencyMs: 0 });
	expect(missingAt(service, leads)).not.toEqual([]);

	await expectCompleted(service, texting, leads);
});
