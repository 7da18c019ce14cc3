/** What the node remembers, in a real n8n: over executions, and over a restart. */
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import {
	activateCalled,
	LIST_NEW,
	newLeads,
	outcome,
	textingOnce,
	type CalledFlow,
} from './texting.ts';

jest.setTimeout(2 * START_TIMEOUT_MS);

const MESSAGES = 120;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The stand-in spreads its messages over 14 days, so the newest is no older than this. */
const GAP = (14 * DAY) / MESSAGES;
const leads = newLeads(12);

let sandbox: Sandbox;
let texting: CalledFlow;
let listing: CalledFlow;

beforeAll(async () => {
	sandbox = await startSandbox({ service: { messages: MESSAGES, agent: { enabled: false } } });
	texting = await activateCalled(sandbox, textingOnce());
	listing = await activateCalled(sandbox, LIST_NEW);
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

/** Has the workflow list messages, and gives those that came out. */
async function newMessages(): Promise<unknown[]> {
	const { error, items } = await listing.run({ list: [{}] });
	expect(error?.message).toBeUndefined();
	return items().map(({ json }) => json.id);
}

/**
 * That no request since the last reset of the log read further back than an hour before the newest message, and the
 * day more that a service may need.
 */
function expectShortLook(): void {
	for (const { query } of sandbox.service.received()) {
		const bound = Date.parse(new URLSearchParams(query).get('startDate') ?? '');
		expect(bound).toBeGreaterThan(Date.now() - DAY - 3 * HOUR - GAP);
	}
}

test('Send Once sends each lead in the first execution and none in the second', async () => {
	const words = ['accepted', 'skipped'] as const;
	for (const word of words) {
		expect(outcome(leads, await texting.run({ list: leads }), word)).toHaveLength(leads.length);
	}
	expect(sandbox.service.accepted()).toHaveLength(leads.length);
});

test('executions that begin together wait for each other: no lead is uncertain, none is sent twice', async () => {
	await sandbox.service.reset('log');
	await sandbox.service.configure({ latencyMs: 200 });
	const same = newLeads(30);
	const ids = await texting.start({ list: same }, { list: same });
	const runs = await Promise.all(ids.map((id) => texting.flow.ended(id)));
	await sandbox.service.configure({ latencyMs: 0 });
	const count = (word: Parameters<typeof outcome>[2]) =>
		runs.flatMap((run) => outcome(same, run, word)).length;
	expect([count('accepted'), count('skipped'), count('uncertain')]).toEqual([30, 30, 0]);
	expect(sandbox.service.accepted()).toHaveLength(same.length);
});

test('Only New returns all messages first, and then what came in, reading little more than a day back', async () => {
	expect(await newMessages()).toHaveLength(MESSAGES);
	await sandbox.service.reset('log');
	expect(await newMessages()).toEqual([]);
	const message = sandbox.service.receiveMessage();
	expect(await newMessages()).toEqual([message?.id]);
	expectShortLook();
});

test('both remember it over a restart', async () => {
	await sandbox.service.reset('log');
	await sandbox.n8n.stop();
	const message = sandbox.service.receiveMessage();
	await sandbox.n8n.start();

	expect(await newMessages()).toEqual([message?.id]);
	expect(await newMessages()).toEqual([]);
	expectShortLook();
	expect(outcome(leads, await texting.run({ list: leads }), 'skipped')).toHaveLength(leads.length);
	expect(sandbox.service.accepted()).toEqual([]);
});
