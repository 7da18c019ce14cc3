/** Every operation as a tool of n8n's own AI Agent, with a scripted stand-in for the language model. */
import type { INodeParameters } from 'n8n-workflow';

import { startScriptedModel, type ScriptedModel } from '../../sandbox/model/scriptedModel.ts';
import { createCredential } from '../../sandbox/n8n/credentials.ts';
import type { Run } from '../../sandbox/n8n/flow.ts';
import { ACTION_TYPE, listNodeTypes } from '../../sandbox/n8n/nodeTypes.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { chain, START, type NodeSketch } from '../../sandbox/n8n/workflows.ts';
import {
	byId,
	known,
	nodeOperations,
	operationIds,
	type NodeOperation,
} from '../../sandbox/operations.ts';
import { seeded } from '../../sandbox/service/service.ts';

const MODEL_CREDENTIAL = 'openAiApi';
/** About 4,000 tokens: an answer of a tool should leave room for the conversation. */
const LONGEST_ANSWER = 16_000;

let sandbox: Sandbox;
let model: ScriptedModel;
let modelNode: NodeSketch;

beforeAll(async () => {
	model = await startScriptedModel();
	sandbox = await startSandbox({ editor: true });
	const credential = await createCredential(sandbox.n8n.rest, {
		name: 'Scripted model',
		type: MODEL_CREDENTIAL,
		data: { apiKey: 'not-needed', url: model.url },
	});
	modelNode = {
		name: 'Model',
		type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
		typeVersion: 1.2,
		parameters: { model: byId('scripted'), options: {} },
		credentials: { [MODEL_CREDENTIAL]: credential },
	};
}, START_TIMEOUT_MS);

afterAll(async () => {
	await sandbox?.stop();
	await model?.close();
});

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

const { webhookId, pipelineId, versionId } = known;

interface Case {
	/** Set by whoever builds the workflow, with `$fromAI` where the model decides. */
	parameters: INodeParameters;
	/** What the model fills in. */
	arguments: Record<string, unknown>;
	/** What the model has to find in the answer. */
	answer: RegExp;
}

const fromAi = (key: string, description: string, type = 'string') =>
	`={{ $fromAI('${key}', '${description}', '${type}') }}`;

/** What a model asks for; the others are asked without arguments. */
const CASES: Partial<Record<NodeOperation, Case>> = {
	'inbox.getAll': {
		parameters: { limit: fromAi('limit', 'How many', 'number') },
		arguments: { limit: 5 },
		answer: /"phone"/,
	},
	'inbox.createExternal': {
		parameters: { name: fromAi('name', 'Name of the inbox') },
		arguments: { name: 'Made by an agent' },
		answer: /Made by an agent/,
	},
	'message.getAll': {
		parameters: { filters: { after: fromAi('after', 'ISO date') } },
		arguments: { after: '2000-01-01' },
		answer: /"body"/,
	},
	'messageTemplate.getAll': {
		parameters: { limit: 5 },
		arguments: {},
		answer: /"name"/,
	},
	'messageTemplate.render': {
		parameters: {
			templateId: byId(fromAi('templateId', 'ID of the template')),
			options: { missingValues: 'leave' },
		},
		arguments: { templateId: '10001' },
		answer: /"text"/,
	},
	'otp.verify': {
		parameters: { token: fromAi('token', 'The password to check') },
		arguments: { token: seeded.otpTokens.valid[0] },
		answer: /"result"/,
	},
	'pipeline.invokeWebhook': {
		parameters: {
			webhookId: byId(webhookId),
			phone: fromAi('phone', 'Number to text'),
			payloadMode: 'json',
			payloadJson: fromAi('payload', 'What the agent gets to know', 'json'),
		},
		arguments: { phone: '+15555550177', payload: { reason: 'asked for a call' } },
		answer: /"accepted":true/,
	},
	'pipelineVersion.create': {
		parameters: { pipelineId, schema: fromAi('schema', 'The schema', 'json') },
		arguments: { schema: { nodes: [] } },
		answer: /"number"/,
	},
	'pipelineVersion.update': {
		parameters: { pipelineId, versionId, name: fromAi('name', 'The new name') },
		arguments: { name: 'Named by an agent' },
		answer: /Named by an agent/,
	},
	'user.create': {
		parameters: { email: fromAi('email', 'Email address') },
		arguments: { email: 'grace@example.com' },
		answer: /grace@example\.com/,
	},
};

it('has a description for every operation', async () => {
	const types = await listNodeTypes(sandbox.n8n.rest);
	const properties = types.find(({ name }) => name === `${ACTION_TYPE}Tool`)?.properties ?? [];
	const described = properties
		.filter(({ name }) => name === 'toolDescription')
		.flatMap(({ displayOptions: { show } = {} }) =>
			(show?.resource ?? []).flatMap((resource) =>
				(show?.operation ?? []).map((operation) => `${resource}.${operation}`),
			),
		);
	expect(described.sort()).toEqual(operationIds.toSorted());
	// With this, n8n would choose the words itself.
	expect(properties.map(({ name }) => name)).not.toContain('descriptionType');
});

it.each(operationIds)('%s', async (id) => {
	const [resource = '', operation = ''] = id.split('.');
	const usual: Case = { parameters: nodeOperations[id].minimal, arguments: {}, answer: /^[[{]/ };
	const { parameters, arguments: args, answer } = CASES[id] ?? usual;
	const name = `${resource}_${operation}`;
	model.follow({ tool: name, arguments: args });

	const execution = await askAgent(name, { resource, operation, ...parameters });

	expect(execution.error?.message).toBeUndefined();
	const [offered] = model.tools();
	expect(offered?.description.length).toBeGreaterThan(15);
	expect(Object.keys(offered?.parameters.properties ?? {})).toEqual(
		expect.arrayContaining(Object.keys(args)),
	);
	expect(model.toolAnswer()).toMatch(answer);
	expect(model.toolAnswer()?.length).toBeLessThan(LONGEST_ANSWER);
});

it('tells the model that nobody is texted without a phone number', async () => {
	const before = sandbox.service.accepted().length;
	model.follow({ tool: 'text', arguments: { phone: '' } });

	await askAgent('text', {
		resource: 'pipeline',
		operation: 'invokeWebhook',
		webhookId: byId(webhookId),
		phone: fromAi('phone', 'Number to text'),
	});

	expect(model.toolAnswer()).toMatch(/"Phone\\" is empty.*gave no phone number/);
	expect(sandbox.service.accepted()).toHaveLength(before);
});

it.each([
	['the model asks again', {}],
	['n8n tries again', { retryOnFail: true }],
] satisfies Array<[string, Partial<NodeSketch>]>)(
	'a call that may have been accepted is not sent again when %s',
	async (_name, more) => {
		await sandbox.service.configure({
			faults: [{ kind: 'dropAfter', operations: ['pipeline.invokeWebhook'] }],
		});
		const before = sandbox.service.accepted().length;
		model.follow({ tool: 'text', arguments: { phone: '+15555550178' }, times: 3 });

		await askAgent(
			'text',
			{
				resource: 'pipeline',
				operation: 'invokeWebhook',
				webhookId: byId(webhookId),
				phone: fromAi('phone', 'Number to text'),
			},
			more,
		);
		await sandbox.service.configure({ faults: [] });

		expect(sandbox.service.accepted()).toHaveLength(before + 1);
	},
);
