/** Examples that talk with somebody: a person who approves, and a contact who writes several messages in a row. */
import { enterAddresses, eventTriggerOf } from '../../sandbox/demo/listening.ts';
import { startScriptedModel, type ScriptedModel } from '../../sandbox/model/scriptedModel.ts';
import { createCredential } from '../../sandbox/n8n/credentials.ts';
import { outputOf, readExecution } from '../../sandbox/n8n/executions.ts';
import type { Flow } from '../../sandbox/n8n/flow.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { running, service, store } from './examplesOverDays.ts';

const CHAT = 'When you write in the chat';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36';

let model: ScriptedModel;

beforeAll(async () => {
	model = await startScriptedModel();
});

afterAll(() => model?.close());

/** Writes in the chat of the editor, and gives the execution that waits for an approval. */
async function chat(flow: Flow): Promise<string> {
	const { rest } = running.n8n;
	const said = { json: { sessionId: 'a', action: 'sendMessage', chatInput: 'Do it.' } };
	const data = {
		startTime: Date.now(),
		executionTime: 0,
		executionIndex: 0,
		source: [],
		data: { main: [[said]] },
	};
	const { executionId } = await rest.post<{ executionId: string }>(
		`/rest/workflows/${flow.workflow.id}/run`,
		{ triggerToStartFrom: { name: CHAT, data } },
	);
	const isWaiting = async () =>
		(await rest.get<{ status: string }>(`/rest/executions/${executionId}`)).status === 'waiting';
	await until('n8n asks for an approval', isWaiting);
	return executionId;
}

test.each([
	['Approve', ['+15555550140']],
	['Decline', []],
])(
	'"Approve before an agent texts" texts only if a person approves: %s',
	async (button, phones) => {
		const { rest } = running.n8n;
		const credential = await createCredential(rest, {
			name: 'Scripted model',
			type: 'openAiApi',
			data: { apiKey: 'not-needed', url: model.url },
		});
		const flow = await store('approve-before-an-agent-texts', (node) =>
			node.name === 'AI model' ? { ...node, credentials: { openAiApi: credential } } : node,
		);
		const toolParameters = { Phone: '+1 555 555 0140', Topic: 'the offer' };
		model.follow({ tool: 'Start_an_agent', arguments: { toolParameters, hitlParameters: {} } });
		const id = await chat(flow);
		expect(service.accepted()).toEqual([]);

		const { runs } = await readExecution(rest, id);
		const shown = JSON.stringify(runs['A person approves']);
		expect(shown).toContain('+1 555 555 0140');
		const [, link = ''] = new RegExp(`"text":"${button}","link":"([^"]+)"`).exec(shown) ?? [];
		// n8n takes no approvals from what looks like a robot.
		const answer = await fetch(link, { headers: { 'user-agent': BROWSER } });
		expect(answer.ok).toBe(true);
		await until('the model knows', () => model.toolAnswer() !== undefined);
		expect(service.accepted().map(({ body }) => body.phone)).toEqual(phones);
	},
);

test('"Answer several messages at once" answers three in a row once, with all of them', async () => {
	const flow = await store('answer-several-messages-at-once', (node) =>
		node.name === 'Wait until they pause'
			? { ...node, parameters: { ...node.parameters, amount: 5 } }
			: node,
	);
	const trigger = eventTriggerOf(flow.workflow);
	await enterAddresses(running.n8n, service, trigger ? [trigger] : []);
	await flow.activate();
	const texts = ['Hello', 'I have a question', 'Are you open on Sunday?'];
	for (const body of texts) service.receiveMessage({ phone: '+15555550241', body });
	await service.deliveriesSettled();
	const runs = await flow.ran(texts.length);
	await flow.deactivate();

	expect(runs.flatMap((run) => outputOf(run, 'Let the agent answer'))).toHaveLength(1);
	expect(service.accepted().map(({ body }) => body)).toEqual([
		{ phone: '+15555550241', text: texts.join('\n') },
	]);
});
