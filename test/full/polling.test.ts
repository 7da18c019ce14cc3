/** The polling trigger at its poll times, in a real n8n: which messages start the workflow, whatever happens meanwhile. */
import type { INodeParameters } from 'n8n-workflow';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { startSandbox } from '../../sandbox/n8n/sandbox.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { isN8n1 } from '../../sandbox/n8n/versions.ts';
import { byId } from '../../sandbox/operations.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { createMessage, type Team } from '../../sandbox/service/store.ts';
import { pollingNodes, publishWith } from '../e2e/pollingFlow.ts';
import { sandbox, share } from '../e2e/shared.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PHONE = '+15555550142';
/** n8n takes no poll time of less than a minute, but several of a minute each: these are four seconds apart. */
const POLL_TIMES = {
	item: Array.from({ length: 15 }, (_, index) => ({
		mode: 'custom',
		cronExpression: `${4 * index} * * * * *`,
	})),
};

/** Options of Node.js with which a process has a clock that is so many milliseconds ahead. */
function ahead(milliseconds: number): string {
	const code = `const now=Date.now;Date.now=()=>now()+${milliseconds}`;
	return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

/** Settings of n8n with which its database says when to poll. By default, each process does. */
const DURABLE = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
};
const SCHEDULERS: Array<[string, Record<string, string>]> = [['its own', {}]];
if (!isN8n1) SCHEDULERS.push(['the durable', DURABLE]);

let flow: Flow;

async function publish(filters: INodeParameters = {}): Promise<void> {
	flow = await sandbox.activate(pollingNodes(sandbox, { pollTimes: POLL_TIMES, filters }));
}

function demoTeam(): Team {
	const team = sandbox.service.teams().find(({ apiKey }) => apiKey === seeded.demo.apiKey);
	if (!team) throw new Error('The demo team is gone');
	return team;
}

/** A message comes in, dated so many milliseconds ago. */
function receive(body: string, { ago = 0, inbox = 0 } = {}): void {
	const team = demoTeam();
	const at = Date.now() - ago;
	const more = { inbox: team.inboxes[inbox] ?? {}, phone: PHONE, body, inbound: true, at };
	team.messages.push({ at, message: createMessage(team.messages.length + 1, team, more) });
	team.messages.sort((one, other) => one.at - other.at);
}

/** The texts that the workflow has started with, execution by execution. A poll that fails is an execution, too. */
async function started(): Promise<unknown[][]> {
	const succeeded = (await flow.executions()).filter(({ status }) => status === 'success');
	const runs = await Promise.all(succeeded.map(({ id }) => flow.ended(id)));
	return runs.reverse().map((run) => run.items('Poll').map(({ json }) => json.body));
}

/** Waits until the workflow has started with these, and one more poll has found no more. */
async function startsWith(...texts: string[][]): Promise<void> {
	const isThere = async () => (await started()).length >= texts.length;
	await until(`it has started ${texts.length} times`, isThere, { timeoutMs: 3 * MINUTE });
	await polled();
	expect(await started()).toEqual(texts);
}

/** Waits until a poll has begun and ended. */
async function polled(): Promise<void> {
	const asked = () => sandbox.service.received().length;
	// The next poll begins only when this one has ended.
	const wanted = asked() + 2;
	await until('it has polled', () => asked() >= wanted, { timeoutMs: 3 * MINUTE });
}

describe.each(SCHEDULERS)('polled by %s scheduler of n8n', (_name, env) => {
	share(() => startSandbox({ service: { messages: 0, agent: { enabled: false } }, n8n: { env } }));
	beforeEach(() => sandbox.service.reset());
	afterEach(() => flow.deactivate());

	test('what was there starts nothing, and a new message once, also if it is edited', async () => {
		receive('old');
		await publish();
		await polled();
		receive('new');
		await startsWith(['new']);
		for (const { message } of demoTeam().messages) {
			Object.assign(message, { body: 'edited', updated: new Date().toISOString() });
		}
		receive('newer');
		await startsWith(['new'], ['newer']);
	});

	test('a filter that is changed, or gets another inbox, brings no message that was there', async () => {
		const inInboxes = (...indexes: number[]): INodeParameters => ({
			inboxIds: indexes.map((index) => byId(String(demoTeam().inboxes[index]?.id))),
		});
		await publish({ ...inInboxes(0), text: 'urgent' });
		receive('no hurry');
		receive('urgent, elsewhere', { inbox: 1 });
		receive('urgent');
		await startsWith(['urgent']);
		await publishWith(sandbox, flow, { ...inInboxes(0, 1), text: 'urgent' });
		receive('urgent again', { inbox: 1 });
		await startsWith(['urgent'], ['urgent again']);
		await publishWith(sandbox, flow, inInboxes(0, 1));
		receive('hello', { inbox: 1 });
		await startsWith(['urgent'], ['urgent again'], ['hello']);
	});

	test('what comes during an outage of the service starts it once, after polls that failed', async () => {
		const { service } = sandbox;
		await publish();
		service.configure({ faults: [{ kind: 'status', status: 500 }] });
		receive('during the outage');
		await polled();
		const failed = (await flow.executions()).filter(({ status }) => status === 'error');
		expect(failed.length).toBeGreaterThan(0);
		service.configure({ faults: [] });
		await startsWith(['during the outage']);
	});

	test('what comes while n8n is down starts it once, also after a kill', async () => {
		await publish();
		receive('before');
		await startsWith(['before']);
		await sandbox.n8n.kill();
		receive('meanwhile');
		await sandbox.n8n.start();
		await startsWith(['before'], ['meanwhile']);
	});

	test('a message that shows up an hour after its date starts it within an hour', async () => {
		await publish();
		receive('in time');
		await startsWith(['in time']);
		receive('late', { ago: HOUR });
		await startsWith(['in time']);
		await sandbox.n8n.stop();
		await sandbox.n8n.start({ ...env, NODE_OPTIONS: ahead(HOUR) });
		await startsWith(['in time'], ['late']);
	});
});
