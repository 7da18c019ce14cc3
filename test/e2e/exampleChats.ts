/** Examples and a tool that talk with somebody: an AI model, and a person who approves. */
import { randomUUID } from 'node:crypto';

import type { INode } from 'n8n-workflow';

import { readExecution } from '../../sandbox/n8n/executions.ts';
import type { Flow } from '../../sandbox/n8n/flow.ts';
import { ACTION_TYPE } from '../../sandbox/n8n/nodeTypes.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { chain } from '../../sandbox/n8n/workflows.ts';
import { byId } from '../../sandbox/operations.ts';
import { changed, keepOptOuts, ran, run, sending, store, texted } from './exampleFlows.ts';
import { model, modelCredential, sandbox } from './shared.ts';
import { changeRow, emptyTables } from './tables.ts';
import { starting } from './texting.ts';

const CHAT = 'When you write in the chat';
const ASKS = 'A person approves';
const [ALEX, ROBIN] = ['+15555550140', '+15555550149'];
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36';

/** Writes in the chat of the editor, and gives the execution once it waits for somebody. */
async function chat({ workflow }: Flow): Promise<string> {
	const { rest } = sandbox.n8n;
	const said = { json: { sessionId: 'a', action: 'sendMessage', chatInput: 'Do it.' } };
	const data = {
		startTime: Date.now(),
		executionTime: 0,
		executionIndex: 0,
		source: [],
		data: { main: [[said]] },
	};
	const { executionId } = await rest.post<{ executionId: string }>(
		`/rest/workflows/${workflow.id}/run`,
		{ triggerToStartFrom: { name: CHAT, data } },
	);
	const isWaiting = async () =>
		(await rest.get<{ status: string }>(`/rest/executions/${executionId}`)).status === 'waiting';
	await until('the chat has an answer', isWaiting);
	return executionId;
}

const runsOf = async (id: string) => (await readExecution(sandbox.n8n.rest, id)).runs;

/** Presses a button of the question whether a text may be sent. */
async function press(button: string, id: string): Promise<void> {
	const shown = JSON.stringify((await runsOf(id))[ASKS]);
	const [, link = ''] = new RegExp(`"text":"${button}","link":"([^"]+)"`).exec(shown) ?? [];
	// n8n takes no approvals from what looks like a robot.
	const { ok } = await fetch(link, { headers: { 'user-agent': BROWSER } });
	expect(ok).toBe(true);
}

const withModel = (node: INode) =>
	node.name === 'AI model' ? { ...node, credentials: modelCredential } : node;

test('"Ask an AI agent" looks things up, and has no tool that texts', async () => {
	const byHand = { type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
	const flow = await store(
		'ai-agent-tool',
		withModel,
		changed('AI Agent', { promptType: 'define', text: 'Do it.' }),
		(node) => (node.name === CHAT ? { ...node, ...byHand } : node),
		(node) => (node.name === 'Memory' ? { ...node, disabled: true } : node),
	);
	model.follow({ tool: 'Find_messages', arguments: { After: '', Direction: 'inbound' } });
	await run(flow);
	expect(model.toolAnswer()).toMatch(/"body"/);
	expect(model.toolAnswer()).not.toMatch(/"inbound":false/);
	expect(
		model
			.tools()
			.map(({ name }) => name)
			.sort(),
	).toEqual(['Find_messages', 'Find_templates']);
});

test.each([
	['Decline', []],
	['Approve', [ALEX]],
])(
	'a tool behind a step of "Human review" texts only if a person approves: %s',
	async (button, phones) => {
		await sandbox.service.reset('log');
		const text = starting({ phone: "={{ $fromAI('phone', 'Number to text', 'string') }}" });
		const langchain = '@n8n/n8n-nodes-langchain';
		const to = (node: string, type: 'main' | 'ai_tool' | 'ai_languageModel') => ({
			[type]: [[{ node, type, index: 0 }]],
		});
		const flow = await sandbox.store({
			...chain('Human review', [
				{
					name: CHAT,
					type: `${langchain}.chatTrigger`,
					typeVersion: 1.3,
					webhookId: randomUUID(),
					parameters: { options: { responseMode: 'responseNodes' } },
				},
				{
					name: 'Agent',
					type: `${langchain}.agent`,
					typeVersion: 3.1,
					parameters: { options: {} },
				},
				{
					name: 'Model',
					type: `${langchain}.lmChatOpenAi`,
					typeVersion: 1.2,
					parameters: { model: byId('scripted'), options: {} },
					credentials: modelCredential,
				},
				{
					name: ASKS,
					type: `${langchain}.chatHitlTool`,
					typeVersion: 1.3,
					webhookId: randomUUID(),
					parameters: {
						operation: 'sendAndWait',
						message: '=May I text {{ $tool.parameters.phone }}?',
						responseType: 'approval',
						approvalOptions: { values: { approvalType: 'double' } },
						options: {},
					},
				},
				{ ...sandbox.action('text', text), type: `${ACTION_TYPE}Tool` },
			]),
			// With the older order, n8n takes every approval for a rejection.
			settings: { executionOrder: 'v1' },
			connections: {
				[CHAT]: to('Agent', 'main'),
				Model: to('Agent', 'ai_languageModel'),
				[ASKS]: to('Agent', 'ai_tool'),
				text: to(ASKS, 'ai_tool'),
			},
		});
		const toolParameters = { phone: ALEX };
		model.follow({ tool: 'text', arguments: { toolParameters, hitlParameters: {} } });
		const id = await chat(flow);
		expect(JSON.stringify((await runsOf(id))[ASKS])).toContain(ALEX);
		expect(texted()).toEqual([]);
		await press(button, id);
		await until('the model knows', () => model.toolAnswer() !== undefined);
		expect(texted()).toEqual(phones);
	},
);

describe('"Approve before an agent texts"', () => {
	beforeEach(async () => {
		await sandbox.service.reset('log', 'data');
		await emptyTables();
		await keepOptOuts();
	});

	/** Somebody opts out, and the row says it as somebody wrote it there by hand. */
	async function optOut(row: string): Promise<void> {
		sandbox.service.receiveMessage({ phone: ROBIN, body: 'STOP' });
		await keepOptOuts();
		await changeRow('opt_outs', ROBIN, { phone: row });
	}

	const example = async (...changes: Array<typeof withModel>) =>
		await store('approve-before-an-agent-texts', withModel, ...changes);

	/** Has the model want to text a number. */
	async function ask(flow: Flow, phone: string): Promise<string> {
		const output = { reply: 'Nobody to text.', phone, topic: 'the offer' };
		model.follow({ tool: 'format_final_json_response', arguments: { output } });
		return await chat(flow);
	}

	/** What is answered in the chat in the end. */
	async function answerOf(id: string): Promise<string> {
		await until('the chat has an answer', async () => (await runsOf(id)).Answer !== undefined);
		return JSON.stringify((await runsOf(id)).Answer);
	}

	/** Presses a button, and gives the answer in the chat. */
	async function pressed(button: string, id: string): Promise<string> {
		await press(button, id);
		return await answerOf(id);
	}

	it('shows the number, and texts only if a person approves, each number once a day', async () => {
		const flow = await example(sending);
		const declined = await ask(flow, ALEX);
		expect(JSON.stringify((await runsOf(declined))[ASKS])).toContain(ALEX);
		expect(await pressed('Decline', declined)).toContain('Not approved');
		const approved = await ask(flow, ALEX);
		expect(texted()).toEqual([]);
		expect(await pressed('Approve', approved)).toContain(`${ALEX}: accepted`);
		await pressed('Approve', await ask(flow, '+1 (555) 555-0140'));
		expect(texted()).toEqual([ALEX]);
		ran.add(flow.workflow.name);
	});

	it('sends nothing by hand until somebody changes that', async () => {
		expect(await pressed('Approve', await ask(await example(), ALEX))).toContain(
			`${ALEX}: preview`,
		);
		expect(texted()).toEqual([]);
	});

	it('asks nobody where the model wants to text nobody', async () => {
		const id = await ask(await example(sending), '');
		expect(await answerOf(id)).toContain('Nobody to text.');
		expect(await runsOf(id)).not.toHaveProperty(ASKS);
	});

	it.each([
		['01701234567', '+491701234567'],
		['00491701234567', '+491701234567'],
		['+525512345678', '+5215512345678'],
		[ROBIN, '+1 (555) 555-0149'],
	])('texts nobody who has opted out, however the table has the number: %s', async (row, phone) => {
		await optOut(row);
		const answer = await pressed('Approve', await ask(await example(sending), phone));
		expect(texted()).toEqual([]);
		expect(answer).toContain('Not texted: Has opted out');
	});

	it('texts nobody who opts out before somebody approves', async () => {
		const id = await ask(await example(sending), ROBIN);
		await optOut(ROBIN);
		const answer = await pressed('Approve', id);
		expect(texted()).toEqual([]);
		expect(answer).toContain('Not texted: Has opted out');
	});
});
