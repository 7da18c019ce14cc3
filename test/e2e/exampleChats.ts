/** Examples that talk with somebody: an AI model, a person who approves, an agent, and a contact who writes several messages in a row. */
import { readExecution } from '../../sandbox/n8n/executions.ts';
import type { Flow } from '../../sandbox/n8n/flow.ts';
import { until } from '../../sandbox/n8n/until.ts';
import {
	accepted,
	changed,
	itemsOf,
	listen,
	run,
	startOf,
	stopListening,
	store,
	write,
} from './exampleFlows.ts';
import { model, modelCredential, sandbox } from './shared.ts';

const CHAT = 'When you write in the chat';
/** In another way of writing it than that of the service. */
const OPTED_OUT = '+1 (555) 555-0149';
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

test('"Ask an AI agent" looks things up, and has no tool that texts', async () => {
	const flow = await store('ai-agent-tool', (node) => {
		if (node.name === CHAT) {
			return { ...node, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
		}
		if (node.name === 'AI model') return { ...node, credentials: modelCredential };
		if (node.name === 'Memory') return { ...node, disabled: true };
		return changed('AI Agent', { promptType: 'define', text: 'Do it.' })(node);
	});
	model.follow({ tool: 'Find_messages', arguments: { After: '', Direction: 'inbound' } });
	await flow.run(CHAT);
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
	['Approve', '+1 555 555 0140', ['+15555550140']],
	['Decline', '+1 555 555 0140', []],
	['Approve', OPTED_OUT, []],
])(
	'"Approve before an agent texts" texts only if a person approves, and nobody who has opted out: %s, %s',
	async (button, number, phones) => {
		await sandbox.service.reset('log');
		if (number === OPTED_OUT) {
			sandbox.service.receiveMessage({ phone: '+15555550149', body: 'STOP' });
			await run(await store('keep-the-opt-outs'));
		}
		const flow = await store('approve-before-an-agent-texts', (node) =>
			node.name === 'AI model'
				? { ...node, credentials: modelCredential }
				: changed('Start an agent', { whenTesting: 'send' })(node),
		);
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
	expect(accepted()).toEqual([{ phone }]);
	expect(itemsOf(runs, 'Only after the last message')).toMatchObject([{ text: texts.join('\n') }]);
});

describe('"Start an agent and wait for its result"', () => {
	/** Starts it, and gives the address that the agent was told. */
	async function start(flow: Flow): Promise<[id: string, resultUrl: string]> {
		await sandbox.service.reset('log');
		const id = await flow.start(startOf(flow.workflow));
		await until('the agent is started', () => accepted().length === 1);
		return [id, String(accepted()[0]?.resultUrl)];
	}

	test('goes on with the result when the agent calls', async () => {
		const flow = await store('start-an-agent-and-wait');
		const [id, resultUrl] = await start(flow);
		const body = JSON.stringify({ result: 'booked', at: '10 am' });
		const headers = { 'content-type': 'application/json' };
		// n8n takes the call as soon as the execution sleeps.
		await until(
			'n8n takes the result',
			async () => (await fetch(resultUrl, { method: 'POST', headers, body })).ok,
		);
		const { items, status } = await flow.ended(id);
		expect(status).toBe('success');
		expect(items('The result').map(({ json }) => json)).toEqual([
			{ phone: '+15555550131', result: 'booked', answer: { result: 'booked', at: '10 am' } },
		]);
		expect(items('No result in time')).toEqual([]);
	});

	test('goes another way when nothing comes in time', async () => {
		const briefly = { resumeAmount: 1, resumeUnit: 'seconds' };
		const flow = await store('start-an-agent-and-wait', changed('Wait for the result', briefly));
		const [id] = await start(flow);
		const { items } = await flow.ended(id);
		expect(items('The result')).toEqual([]);
		expect(items('No result in time')).toMatchObject([{ json: { phone: '+15555550131' } }]);
	});
});
