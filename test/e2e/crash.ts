/** n8n is killed in the middle of what it does, and started again. */
import { until } from '../../sandbox/n8n/until.ts';
import { isN8n1 } from '../../sandbox/n8n/versions.ts';
import { takeBurst } from './burst.ts';
import { EndedExecution } from './endedExecution.ts';
import { endings, type Ending } from './endings.ts';
import { pollAgain, pollingNodes, textsOf } from './pollingFlow.ts';
import { sandbox } from './shared.ts';
import {
	activateCalled,
	arrivedAt,
	AT_ONCE,
	expectCompleted,
	missingAt,
	newLeads,
	textingOnce,
} from './texting.ts';

/** So many calls are answered before the service falls silent. */
const ANSWERED = 40;
/** More than can have arrived then. */
const LEADS = ANSWERED + AT_ONCE + 20;
/** So many deliveries are answered, and others are under way, when n8n is killed. There are more in test/full. */
const BURST = 20;

/** Begins something, and gives what has to hold after the crash. */
type Work = () => Promise<() => Promise<void>>;

/** What came in starts the workflow once, also what came in while n8n was down. */
const poll: Work = async () => {
	const receive = (body: string) => sandbox.service.receiveMessage({ phone: '+15555550142', body });
	const flow = await sandbox.activate(pollingNodes(sandbox));
	receive('one');
	await pollAgain(flow);
	expect(await textsOf(flow, 1)).toEqual([['one']]);
	receive('two');
	receive('three');
	return async () => {
		expect(await textsOf(flow, 1)).toEqual([['two', 'three']]);
		await pollAgain(flow);
		expect(await flow.executions()).toHaveLength(2);
		await flow.deactivate();
	};
};

/** With Send Once, no lead gets two texts, and none is lost. */
const text: Work = async () => {
	const { service } = sandbox;
	const operations = ['agent.start'] as const;
	const silence = { kind: 'neverAnswer', requests: { from: ANSWERED + 1 }, operations } as const;
	service.configure({ faults: [silence] });
	const once = await activateCalled(sandbox, textingOnce());
	const leads = newLeads(LEADS);
	await once.start({ list: leads });
	await until('the service is silent', () => arrivedAt(service).length > ANSWERED);
	return async () => {
		service.configure({ faults: [] });
		expect(missingAt(service, leads)).not.toEqual([]);
		await expectCompleted(service, once, leads);
	};
};

/** Executions that are retried. */
const executions: EndedExecution[] = [];
afterAll(() => Promise.all(executions.map((each) => each.close())));

/** Without Send Once, no retry texts anybody twice, or leaves somebody out without a word, wherever n8n was. */
const retry: Work = async () => {
	const begin = async (ending: Ending) =>
		executions.push(await EndedExecution.begin(sandbox, ending, 'agent.start'));
	await Promise.all(endings.kill.map(begin));
	const check = async (each: EndedExecution) =>
		await each.expectRetries().catch((cause: unknown) => {
			throw new Error(`One that was killed ${each.title}`, { cause });
		});
	return async () => void (await Promise.all(executions.map(check)));
};

/** No event is lost: what was answered has its execution, and the rest comes again. */
const takeEvents: Work = () => takeBurst(BURST);

/** n8n 1.x answers an event before it has stored the execution, see docs/trigger.md. In texting it has no part. */
const works = isN8n1 ? [poll] : [poll, retry, text, takeEvents];

test('n8n is killed while it polls, texts and takes events: nothing is lost, and nobody is texted twice', async () => {
	const checks: Array<() => Promise<void>> = [];
	for (const work of works) checks.push(await work());
	await sandbox.n8n.crash();
	for (const check of checks) await check();
});
