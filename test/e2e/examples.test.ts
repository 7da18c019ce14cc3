/** What the examples promise in their notes, in a real n8n against the stand-in. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startAll } from '../../sandbox/demo/demo.ts';
import { readExamples, type Example } from '../../sandbox/demo/examples.ts';
import { importExamples } from '../../sandbox/demo/importExamples.ts';
import { eventTriggerOf } from '../../sandbox/demo/listening.ts';
import { parseOptions } from '../../sandbox/demo/options.ts';
import { reportOn } from '../../sandbox/demo/report.ts';
import { runExamples, type ExampleResult } from '../../sandbox/demo/runExamples.ts';
import { outputOf, runManually } from '../../sandbox/n8n/executions.ts';
import { ROOT } from '../../sandbox/n8n/paths.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { FRUGAL } from '../../sandbox/n8n/sandbox.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { listWorkflows } from '../../sandbox/n8n/workflows.ts';
import { seeded, startService, type Service } from '../../sandbox/service/service.ts';

jest.setTimeout(START_TIMEOUT_MS);

const NOTE = 'n8n-nodes-base.stickyNote';
/** Other bold words are stressed, or the beginning of a paragraph with a colon. */
const BOLD_NAME = /\*\*([A-Z][^*]*[^*:])\*\*/g;

let examples: Example[];

beforeAll(async () => {
	examples = await readExamples();
});

const exampleIn = (file: string) => {
	const found = examples.find((example) => example.file === file);
	if (!found) throw new Error(`There is no example ${file}`);
	return found;
};

describe('Every example', () => {
	it('explains itself in notes', () => {
		for (const { file, workflow } of examples) {
			const notes = workflow.nodes.filter(({ type }) => type === NOTE);
			const words = notes.map(({ parameters }) => parameters.content).join('\n');

			expect(notes.length).toBeGreaterThan(1);
			expect([file, words]).toEqual([file, expect.stringContaining(`## ${workflow.name}\n`)]);
		}
	});

	it('names steps and examples in its notes as they are called', () => {
		const names = new Set(examples.map(({ workflow }) => workflow.name));
		for (const { file, workflow } of examples) {
			const steps = new Set(workflow.nodes.map(({ name }) => name));
			const bold = workflow.nodes
				.filter(({ type }) => type === NOTE)
				.flatMap(({ parameters }) => [...String(parameters.content).matchAll(BOLD_NAME)])
				.map(([, words = '']) => words);

			expect([file, bold.filter((words) => !steps.has(words) && !names.has(words))]).toEqual([
				file,
				[],
			]);
		}
	});

	it('carries no credential of anyone, no pinned data, and is not active', async () => {
		for (const { file, workflow } of examples) {
			const ids = workflow.nodes.flatMap(({ credentials = {} }) =>
				Object.values(credentials).map(({ id }) => id),
			);

			expect([file, ids.filter(Boolean), workflow.pinData]).toEqual([file, [], {}]);
			expect(JSON.parse(await readFile(join(ROOT, 'examples', file), 'utf8'))).toMatchObject({
				active: false,
			});
		}
	});

	it('is in the list beside it', async () => {
		const list = await readFile(join(ROOT, 'examples', 'README.md'), 'utf8');

		for (const { file } of examples) expect(list).toContain(`](${file})`);
	});
});

describe('In n8n', () => {
	const controller = new AbortController();
	const { signal } = controller;
	let running: Awaited<ReturnType<typeof startAll>>;
	let service: Service;

	beforeAll(async () => {
		const options = { ...parseOptions([], {}), port: 0, servicePort: 0 };
		running = await startAll(options, { env: FRUGAL, signal });
		if (!running.service.standIn) throw new Error('There is no stand-in');
		service = running.service.standIn;
	});

	afterAll(() => running?.stop());

	beforeEach(() => service.reset('log'));

	const run = async (...files: string[]): Promise<ExampleResult[]> => {
		const { n8n, credential } = running;
		return await runExamples(n8n, files.map(exampleIn), {
			credential,
			standIn: service,
			readOnly: false,
			signal,
		});
	};
	const runOne = async (file: string) => {
		const [result] = await run(file);
		if (!result) throw new Error(`${file} was not run`);
		return result;
	};
	const textsIn = ({ executions }: ExampleResult, node: string) =>
		executions.flatMap((execution) => outputOf(execution, node)).map(({ json }) => json.text);

	it('"Text a whole list" texts everybody once, over two runs', async () => {
		const { executions, problem } = await runOne('text-a-whole-list-once.json');
		const [first, second] = executions.map((execution) => ({
			now: outputOf(execution, 'Texted now').length,
			before: outputOf(execution, 'Texted before').length,
			failed: outputOf(execution, 'Not texted').map(({ json }) => json.reason),
		}));
		const failed = ['No number with country code'];

		expect(problem).toBeUndefined();
		expect(first).toEqual({ now: 3, before: 1, failed });
		expect(second).toEqual({ now: 0, before: 4, failed });
		expect(service.accepted().map(({ body }) => body.phone)).toEqual([
			'+15555550110',
			'+15555550111',
			'+15555550112',
		]);
	});

	it('"Text every new lead" tries a lead again whose call failed, and no other one', async () => {
		await service.configure({
			faults: [
				{
					kind: 'status',
					status: 400,
					operations: ['pipeline.invokeWebhook'],
					requests: { exactly: 2 },
				},
			],
		});
		const { executions, problem } = await runOne('text-every-new-lead.json');
		await service.reset('settings');
		const texted = executions.map((execution) =>
			outputOf(execution, 'Text the lead').map(({ json }) => json.accepted ?? 'skipped'),
		);

		expect(problem).toBeUndefined();
		expect(texted.map((words) => words.length)).toEqual([2, 3]);
		expect(texted[0]).toEqual([true, true]);
		expect(texted[1]?.filter((word) => word === true)).toHaveLength(1);
		expect(new Set(service.accepted().map(({ body }) => body.phone))).toEqual(
			new Set(['+15555550100', '+15555550101', '+15555550102']),
		);
		expect(service.accepted()).toHaveLength(3);
	});

	it('"Start on new messages" shows what came in when it is run by hand, and takes none', async () => {
		const received = service
			.teams()
			.find(({ apiKey }) => apiKey === seeded.demo.apiKey)
			?.messages.filter(({ message }) => message.inbound).length;
		const { executions } = await runOne('start-on-new-messages.json');

		expect(received).toBeGreaterThan(500);
		expect(executions.map((execution) => outputOf(execution, 'A new message').length)).toEqual([
			received,
			received,
		]);
	});

	it('"Wait for days" texts a lead, looks three times, and gives up', async () => {
		const { executions, problem } = await runOne('wait-for-days.json');
		const [execution] = executions;

		expect(problem).toBeUndefined();
		expect(execution?.runs['Have they written?']).toHaveLength(3);
		expect(execution && outputOf(execution, 'No answer in three days')).toHaveLength(1);
		expect(service.accepted().map(({ body }) => body.phone)).toEqual(['+15555550130']);
	});

	it('an inbound message is answered once, and the answer is followed up, although all events come twice', async () => {
		const [answer, followUp] = await run(
			'answer-inbound-messages.json',
			'follow-up-agent-answers.json',
		);
		const sent = service.deliveries().filter(({ state }) => state === 'delivered');

		expect([answer?.problem, followUp?.problem]).toEqual([undefined, undefined]);
		expect([answer?.executions.length, followUp?.executions.length]).toEqual([1, 1]);
		expect(sent.filter(({ event }) => event === 'message.received')).toHaveLength(2);
		expect(sent.filter(({ event }) => event === 'agent.answered')).toHaveLength(2);
		expect(service.accepted().map(({ body }) => body)).toEqual([
			{ phone: '+15555550160', text: 'Hello, do you have time for me on Thursday?' },
		]);
		expect(followUp && textsIn(followUp, 'Answers')).toEqual([
			expect.stringContaining('thanks for reaching out'),
		]);
		await until('nothing is subscribed', () => service.subscriptions().length === 0);
	});

	it('"Route inbound messages" sends each message where it belongs', async () => {
		const routed = await runOne('route-inbound-messages.json');
		const agents = service.accepted().map(({ webhookId, body }) => [webhookId, body.text]);
		const [general, booking] = seeded.demo.webhookIds;

		expect(routed.problem).toBeUndefined();
		expect(textsIn(routed, 'Messages for a colleague')).toEqual([
			'Can I talk to a person, please?',
		]);
		expect(new Map(agents.map(([agent, text]) => [text, agent]))).toEqual(
			new Map([
				['I would like an appointment on Thursday.', booking],
				['What are your opening hours?', general],
			]),
		);
	});

	it('an example whose events are refused counts as failed', async () => {
		await service.configure({ events: { signing: { secret: 'another secret' } } });
		const result = await runOne('route-inbound-messages.json');
		await service.reset('settings');
		const { text, ok } = reportOn([result], 0);

		expect(result.executions).toEqual([]);
		expect(text).toContain('Started 0 times instead of 4. Deliveries: message.received 401');
		expect(ok).toBe(false);
	});

	it('"A customer writes" reaches the stand-in after a restart at another address too', async () => {
		const { n8n, credential } = running;
		const { rest } = n8n;
		await importExamples([], { n8n, credential, standIn: service, signal });
		const restarted = await startService({ messages: 0 });
		try {
			await importExamples([], { n8n, credential, standIn: restarted, signal });
			const workflows = await listWorkflows(rest);
			const customer = workflows.filter(({ name }) => name.startsWith('A customer writes'));
			expect(customer).toHaveLength(1);
			for (const workflow of customer) await runManually(rest, workflow, 'Start by hand');
			const [team] = restarted.teams();
			expect(team?.messages.map(({ message }) => message.sender)).toEqual(['+15555550199']);
		} finally {
			await restarted.close();
		}
	});

	it('says why it leaves examples out', async () => {
		const { n8n, credential } = running;
		const results = await runExamples(n8n, examples, { credential, readOnly: true, signal });
		const reasons = new Map(results.map(({ example, skipped }) => [example.file, skipped]));
		const waiting = examples.filter(({ workflow }) => eventTriggerOf(workflow));

		expect(waiting).toHaveLength(6);
		for (const { file } of waiting) expect(reasons.get(file)).toContain('waits for events');
		expect(reasons.get('ai-agent-tool.json')).toContain('OpenAI account');
		expect(reasons.get('approve-before-an-agent-texts.json')).toContain('OpenAI account');
		expect(reasons.get('add-a-colleague.json')).toContain('--yes-send');
		expect(reasons.get('list-inboxes-and-templates.json')).toBeUndefined();
		expect(service.accepted()).toEqual([]);
	});
});
