/** Operations as tools of n8n's own AI Agent, with a scripted stand-in for the language model. */
import type { INodeParameters } from 'n8n-workflow';

import { findOperation } from '../../nodes/MessagingService/operations/index.ts';
import type { Run } from '../../sandbox/n8n/flow.ts';
import { ACTION_TYPE } from '../../sandbox/n8n/nodeTypes.ts';
import { chain, START, type NodeSketch } from '../../sandbox/n8n/workflows.ts';
import { byId, type NodeOperation } from '../../sandbox/operations.ts';
import { model, modelCredential, sandbox } from './shared.ts';
import { starting } from './texting.ts';

/** About 4,000 tokens: an answer of a tool should leave room for the conversation. */
const LONGEST_ANSWER = 16_000;

/** An agent with one tool; runs it once and gives the execution. */
async function askAgent(
	name: string,
	parameters: INodeParameters,
	more: Partial<NodeSketch> = {},
): Promise<Run> {
	const tool: NodeSketch = {
		...sandbox.action(name, parameters, more),
		type: `${ACTION_TYPE}Tool`,
	};
	const modelNode: NodeSketch = {
		name: 'Model',
		type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
		typeVersion: 1.2,
		parameters: { model: byId('scripted'), options: {} },
		credentials: modelCredential,
	};
	const agent: NodeSketch = {
		name: 'Agent',
		type: '@n8n/n8n-nodes-langchain.agent',
		typeVersion: 2,
		parameters: { promptType: 'define', text: 'Do it.', options: {} },
	};
	const flow = await sandbox.store({
		...chain(name, [START, agent, modelNode, tool]),
		connections: {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
			[name]: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
	});
	return await flow.run();
}

/** What the model has to fill in. */
const fromAi = (key: string, description: string, type = 'string') =>
	`={{ $fromAI('${key}', '${description}', '${type}') }}`;

const text: INodeParameters = starting({ phone: fromAi('phone', 'Number to text') });

interface Case {
	/** Set by whoever builds the workflow. */
	parameters: INodeParameters;
	/** What the model fills in. */
	arguments: Record<string, unknown>;
	/** What the model has to find in the answer. */
	answer: RegExp;
}

/** Between them they have every kind of field that a model may fill in. */
const CASES: Partial<Record<NodeOperation, Case>> = {
	'message.getAll': {
		parameters: {
			limit: fromAi('limit', 'How many', 'number'),
			filters: { after: fromAi('after', 'ISO date') },
		},
		arguments: { limit: 5, after: '2000-01-01' },
		answer: /"body"/,
	},
	'messageTemplate.fillIn': {
		parameters: {
			templateId: byId(fromAi('templateId', 'ID of the template')),
			options: { missingValues: 'leave' },
		},
		arguments: { templateId: '10001' },
		answer: /"text"/,
	},
	'agent.start': {
		parameters: {
			...text,
			payloadMode: 'json',
			payloadJson: fromAi('payload', 'What the agent gets to know', 'json'),
		},
		arguments: { phone: '+15555550177', payload: { reason: 'asked for a call' } },
		answer: /"outcome":"accepted"/,
	},
};

describe('As a tool of an AI agent', () => {
	it.each(Object.entries(CASES))('%s takes what the model fills in', async (id, each) => {
		const [resource = '', operation = ''] = id.split('.');
		const name = `${resource}_${operation}`;
		model.follow({ tool: name, arguments: each.arguments });

		const execution = await askAgent(name, { resource, operation, ...each.parameters });

		expect(execution.error?.message).toBeUndefined();
		const [offered] = model.tools();
		expect(offered?.description).toBe(findOperation(resource, operation)?.toolDescription);
		expect(Object.keys(offered?.parameters.properties ?? {})).toEqual(
			expect.arrayContaining(Object.keys(each.arguments)),
		);
		expect(model.toolAnswer()).toMatch(each.answer);
		expect(model.toolAnswer()?.length).toBeLessThan(LONGEST_ANSWER);
	});

	it('a call that may have been accepted is not sent again, although the model asks again and n8n tries again', async () => {
		await sandbox.service.reset('log');
		await sandbox.service.configure({
			faults: [{ kind: 'dropAfter', operations: ['agent.start'] }],
		});
		model.follow({ tool: 'text', arguments: { phone: '+15555550178' }, times: 3 });

		await askAgent('text', text, { retryOnFail: true });

		expect(sandbox.service.accepted()).toHaveLength(1);
		await sandbox.service.reset('settings');
	});
});
