import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type ICredentialDataDecryptedObject,
	type ICredentialsHelper,
	type IDataObject,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IRunExecutionData,
	type ITaskData,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
	NodeConnectionTypes,
	type OnError,
	setSafeRegexEngine,
	Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { MessagingServiceApi } from '../../credentials/MessagingServiceApi.credentials';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { newProcessState, runOperation } from '../../nodes/MessagingService/run/run';
import { fake } from '../unit/helpers/fake.ts';
import { EngineClock } from './clock.ts';

/** The time of the node in this test file. */
export const clock = new EngineClock();
/** What the runs of this test file share, as those in a process of n8n do. */
const shared = newProcessState(clock);

let executions = 0;

const userFolder = mkdtempSync(join(tmpdir(), 'messaging-service-engine-'));
process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'engine-tests';
process.env.N8N_LOG_LEVEL = 'silent';

afterAll(async () => {
	rmSync(userFolder, { recursive: true, force: true });
	await clock.close();
});

// n8n gives each regular expression, those of the panel too, a quarter of a second by the wall clock. On a busy
// machine that passes before the expression has begun. JavaScript's own engine has no such limit.
setSafeRegexEngine({
	exec: (pattern, input, flags) => new RegExp(pattern, flags).exec(input),
	test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
	replace: (pattern, input, flags, replacement) =>
		input.replace(new RegExp(pattern, flags), replacement),
	matchAll: (pattern, input, flags = '') => [
		...input.matchAll(new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`)),
	],
	split: (pattern, input, flags) => input.split(new RegExp(pattern, flags)),
});

/** What a run of the node is given. */
export interface EngineRun {
	credential: ICredentialDataDecryptedObject;
	/** The credential of an item, if its fields are expressions. */
	credentialOfItem?: (itemIndex: number) => ICredentialDataDecryptedObject;
	/** What n8n calls the credential; its first one when left out. */
	credentialId?: string;
	parameters: INodeParameters;
	/** The items before the node; one empty item when left out. */
	input?: IDataObject[];
	/** How often the items come to the node, as in a loop; once when left out. */
	rounds?: number;
	onError?: OnError;
	retryOnFail?: boolean;
	/** Empty for a workflow that is not saved. */
	workflowId?: string;
	/** Ends the execution when it aborts. */
	signal?: AbortSignal;
	/** How the execution was started; by hand when left out. */
	mode?: WorkflowExecuteMode;
	/** How its outermost parent was started, if n8n tells it. */
	rootMode?: WorkflowExecuteMode;
	/** The ID of the execution; a new one when left out. */
	executionId?: string;
	/** Whether the node is the tool of an AI agent, of which n8n makes a type with another name. */
	asTool?: boolean;
	/** The most calls under way at once; as many as in n8n when left out. */
	maxCalls?: number;
}

/** What came of it. */
export interface EngineResult {
	/** The items of each output. */
	outputs: INodeExecutionData[][];
	/** The JSON of the first output's items. */
	json: IDataObject[];
	error?: ITaskData['error'];
	hints: string[];
	/** Those of the hints that warn, as something may be wrong. */
	warnings: string[];
	status: IRun['status'];
	/** Everything that n8n keeps of the execution. */
	data: IRunExecutionData;
}

/** Gives the input items, as a sheet before the node would. */
const sourceOf = (input: IDataObject[]): INodeType => ({
	description: {
		displayName: 'Source',
		name: 'source',
		group: ['input'],
		version: 1,
		description: '',
		defaults: { name: 'Source' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	},
	execute: async () => [input.map((json) => ({ json }))],
});

/** What n8n's engine asks of the credential. */
function credentialsHelper({ credential, credentialOfItem }: EngineRun): ICredentialsHelper {
	return fake<ICredentialsHelper>({
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		getCredentialsProperties: () => [],
		getDecrypted: async (
			_additionalData: unknown,
			_nodeCredentials: unknown,
			_type: string,
			_mode: string,
			_executeData: unknown,
			_raw: unknown,
			resolve?: { itemIndex?: number },
		) => credentialOfItem?.(resolve?.itemIndex ?? 0) ?? credential,
		preAuthentication: async () => undefined,
		runPreAuthentication: async () => undefined,
		authenticate: async (
			credentials: ICredentialDataDecryptedObject,
			_typeName: string,
			request: IHttpRequestOptions,
		) => await new MessagingServiceApi().authenticate(credentials, request),
	});
}

/** Runs the action node behind a source of items in n8n's own engine. */
export async function runNode(run: EngineRun): Promise<EngineResult> {
	const workflow = buildWorkflow(run);
	const execution = new WorkflowExecute(
		additionalData(run),
		run.mode ?? 'manual',
		createRunExecutionData({}),
	).run({ workflow, startNode: workflow.getNode('Source') ?? undefined });
	run.signal?.addEventListener('abort', () => execution.cancel());
	return resultOf(await execution);
}

/** What came of an execution, or of a retry. */
export function resultOf({ data, status }: IRun): EngineResult {
	const task = data.resultData.runData.Node?.at(-1);
	const outputs = (task?.data?.main ?? []).map((items) => items ?? []);
	const hints = task?.hints ?? [];
	return {
		outputs,
		json: (outputs[0] ?? []).map(({ json }) => json),
		error: task?.error,
		hints: hints.map(({ message }) => message),
		warnings: hints.filter(({ type }) => type === 'warning').map(({ message }) => message),
		status,
		data,
	};
}

/** A workflow with the node behind a source of items. */
export function buildWorkflow(run: EngineRun): Workflow {
	const node = (name: string, type: string, more: Partial<INode> = {}): INode => ({
		id: name,
		name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		...more,
	});
	const toNode = { node: 'Node', type: NodeConnectionTypes.Main, index: 0 };
	return new Workflow({
		id: run.workflowId ?? 'engine-test',
		active: false,
		nodeTypes: nodeTypes(run),
		settings: { timezone: 'Europe/Berlin' },
		nodes: [
			node('Source', 'source'),
			node('Node', run.asTool ? TOOL : 'messagingService', {
				parameters: run.parameters,
				onError: run.onError,
				retryOnFail: run.retryOnFail,
				// In milliseconds; n8n takes 0 for a second.
				waitBetweenTries: 1,
				credentials: { messagingServiceApi: { id: run.credentialId ?? '1', name: 'Account' } },
			}),
		],
		connections: {
			Source: { main: [Array.from({ length: run.rounds ?? 1 }, () => toNode)] },
		},
	});
}

/** What n8n calls the node as the tool of an AI agent. */
const TOOL = 'messagingServiceTool';

function nodeTypes({ input = [{}], asTool, maxCalls }: EngineRun): INodeTypes {
	const node = new MessagingService();
	const state = { ...shared, ...(maxCalls !== undefined && { maxCalls }) };
	node.execute = async function () {
		return [await runOperation(this, state)];
	};
	if (asTool) node.description.name += 'Tool';
	const known: Record<string, INodeType> = {
		source: sourceOf(input),
		messagingService: node,
		[TOOL]: node,
	};
	const find = (name: string) => {
		const type = known[name];
		if (!type) throw new Error(`unknown node type ${name}`);
		return type;
	};
	return { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) };
}

/** What n8n gives the workflow besides. Whatever else it could give is not part of these tests. */
export function additionalData(run: EngineRun): IWorkflowExecuteAdditionalData {
	const id = run.workflowId ?? 'engine-test';
	const data: Partial<IWorkflowExecuteAdditionalData> = {
		credentialsHelper: credentialsHelper(run),
		hooks: new ExecutionLifecycleHooks('manual', '1', fake<IWorkflowBase>({ id })),
		executionId: run.executionId ?? String(++executions),
		rootExecutionMode: run.rootMode,
		currentNodeExecutionIndex: 0,
		webhookWaitingBaseUrl: 'http://n8n.example.com',
		formWaitingBaseUrl: 'http://n8n.example.com',
		variables: {},
		logAiEvent: () => {},
	};
	return data as IWorkflowExecuteAdditionalData;
}

/** The types of a workflow whose nodes are all of one type. */
export function onlyType(type: INodeType): INodeTypes {
	return {
		getByName: () => type,
		getByNameAndVersion: () => type,
		getKnownTypes: () => ({}),
	};
}
