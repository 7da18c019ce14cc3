/** Examples that talk with somebody: an AI model, and a person who approves. */
import type { INode } from 'n8n-workflow';

import { readExecution } from '../../sandbox/n8n/executions.ts';
import type { Flow } from '../../sandbox/n8n/flow.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { accepted, changed, ran, run, sending, store } from './exampleFlows.ts';
import { model, modelCredential, sandbox } from './shared.ts';

const CHAT = 'When you write in the chat';
const OPTED_OUT = '+15555550149';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36';

/** Writes in the chat of the editor, and gives the execution that waits for an approval. */
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
	await until('n8n asks for an approval', isWaiting);
	return executionId;
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
	['Approve', '+15555550140', ['+15555550140']],
	['Decline', '+15555550140', []],
	['Approve', OPTED_OUT, []],
	// It may be compared with the others only in one way of writing.
	['Approve', '+1 (555) 555-0149', []],
])(
	'"Approve before an agent texts" texts only if a person approves, and nobody who has opted out: %s, %s',
	async (button, number, phones) => {
		await sandbox.service.reset('log');
		if (number === OPTED_OUT) {
			sandbox.service.receiveMessage({ phone: OPTED_OUT, body: 'STOP' });
			await run(await store('keep-the-opt-outs'));
		}
		const flow = await store('approve-before-an-agent-texts', withModel, sending);
		const toolParameters = { Phone: number, Topic: 'the offer' };
		model.follow({ tool: 'Start_an_agent', arguments: { toolParameters, hitlParameters: {} } });
		const id = await chat(flow);
		expect(accepted()).toEqual([]);

		const { runs } = await readExecution(sandbox.n8n.rest, id);
		const shown = JSON.stringify(runs['A person approves']);
		expect(shown).toContain(number);
		const [, link = ''] = new RegExp(`"text":"${button}","link":"([^"]+)"`).exec(shown) ?? [];
		// n8n takes no approvals from what looks like a robot.
		const answer = await fetch(link, { headers: { 'user-agent': BROWSER } });
		expect(answer.ok).toBe(true);
		await until('the model knows', () => model.toolAnswer() !== undefined);
		expect(accepted().map(({ phone }) => phone)).toEqual(phones);
		ran.add(flow.workflow.name);
	},
);
