/** Examples that talk with somebody: a person who approves, and a contact who writes several messages in a row. */
import { readExecution } from '../../sandbox/n8n/executions.ts';
import type { Flow } from '../../sandbox/n8n/flow.ts';
import { until } from '../../sandbox/n8n/until.ts';
import {
	accepted,
	changed,
	examples,
	itemsOf,
	listen,
	stopListening,
	store,
	used,
	write,
} from './exampleFlows.ts';
import { model, modelCredential, sandbox } from './shared.ts';

const CHAT = 'When you write in the chat';
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

test.each([
	['Approve', ['+15555550140']],
	['Decline', []],
])(
	'"Approve before an agent texts" texts only if a person approves: %s',
	async (button, phones) => {
		await sandbox.service.reset('log');
		const flow = await store('approve-before-an-agent-texts', (node) =>
			node.name === 'AI model' ? { ...node, credentials: modelCredential } : node,
		);
		const toolParameters = { Phone: '+1 555 555 0140', Topic: 'the offer' };
		model.follow({ tool: 'Start_an_agent', arguments: { toolParameters, hitlParameters: {} } });
		const id = await chat(flow);
		expect(accepted()).toEqual([]);

		const { runs } = await readExecution(sandbox.n8n.rest, id);
		const shown = JSON.stringify(runs['A person approves']);
		expect(shown).toContain('+1 555 555 0140');
		const [, link = ''] = new RegExp(`"text":"${button}","link":"([^"]+)"`).exec(shown) ?? [];
		// n8n takes no approvals from what looks like a robot.
		const answer = await fetch(link, { headers: { 'user-agent': BROWSER } });
		expect(answer.ok).toBe(true);
		await until('the model knows', () => model.toolAnswer() !== undefined);
		expect(accepted().map(({ phone }) => phone)).toEqual(phones);
	},
);

test('"Answer several messages at once" answers three in a row once, with all of them', async () => {
	await sandbox.service.reset('log');
	const texts = ['Hello', 'I have a question', 'Are you open on Sunday?'];
	const phone = '+15555550241';
	const flow = await listen(
		'answer-several-messages-at-once',
		changed('Wait until they pause', { amount: 3 }),
	);
	const runs = await write(
		flow,
		texts.map((body) => [phone, body]),
	);
	await stopListening();
	expect(itemsOf(runs, 'Let the agent answer')).toHaveLength(1);
	expect(accepted()).toEqual([{ phone, text: texts.join('\n') }]);
});

test('no example is left that no test has run', () => {
	expect([...used].sort()).toEqual(examples.map(({ name }) => name));
});
