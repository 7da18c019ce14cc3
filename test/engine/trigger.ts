/** The webhook trigger as n8n switches it on and off, and the workflow of any trigger. */
import { randomUUID } from 'node:crypto';

import { HookContext } from 'n8n-core';
import {
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INode,
	type INodeParameters,
	type INodeType,
	Workflow,
	type WorkflowActivateMode,
} from 'n8n-workflow';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node';
import { additionalData, onlyType } from './engine.ts';

const type = new MessagingServiceTrigger();
const hooks = type.webhookMethods.default;
const [webhookDescription] = type.description.webhooks ?? [];

/** A workflow that has nothing but a trigger, and what n8n has stored of it. */
export function workflowOf(
	nodeType: INodeType,
	id: string,
	stored: IDataObject,
	more: Partial<INode>,
): { workflow: Workflow; node: INode } {
	const node: INode = {
		id: 'trigger',
		name: 'Trigger',
		type: nodeType.description.name,
		typeVersion: Number(nodeType.description.version),
		position: [0, 0],
		parameters: {},
		credentials: { messagingServiceApi: { id: '1', name: 'Account' } },
		...more,
	};
	const workflow = new Workflow({
		id,
		active: true,
		nodeTypes: onlyType(nodeType),
		staticData: structuredClone(stored),
		nodes: [node],
		connections: {},
	});
	return { workflow, node };
}

/** A trigger in a workflow of its own, with what n8n keeps of it. It may be changed while it is off. */
export class Trigger {
	credential: ICredentialDataDecryptedObject;
	/** Those for automatic registration, unless others say otherwise. */
	parameters: INodeParameters;
	/** Where n8n is reached from outside; WEBHOOK_URL in a real one. */
	host = 'https://n8n.example.com';
	/** The workflow's static data as n8n has stored them. */
	stored: IDataObject = {};
	hasCredential = true;
	/** What it wrote into n8n's log. */
	warnings: string[] = [];
	private readonly webhookId = randomUUID();
	private readonly workflowId = randomUUID();

	constructor(credential: ICredentialDataDecryptedObject, parameters: INodeParameters = {}) {
		this.credential = {
			webhookSecret: 'secret-of-the-webhook',
			previousWebhookSecret: 'secret-before-that',
			...credential,
		};
		this.parameters = {
			registration: 'automatic',
			subscriptionPath: '/public/webhooks',
			...parameters,
		};
	}

	/** The address that n8n gives it. */
	get address(): string {
		return `${this.host}/webhook/${this.webhookId}/webhook`;
	}

	/** Switches it on; throws what stops the activation. */
	async activate(mode: WorkflowActivateMode = 'activate'): Promise<void> {
		try {
			await this.run(mode, async (context) => {
				if (!(await hooks.checkExists.call(context))) await hooks.create.call(context);
			});
		} catch (error) {
			await this.deactivate().catch(() => {});
			throw error;
		}
	}

	async deactivate(): Promise<void> {
		await this.run('update', async (context) => await hooks.delete.call(context));
	}

	/** Calls hooks as n8n does, which stores what they leave unless one throws. */
	private async run(
		mode: WorkflowActivateMode,
		call: (context: HookContext) => Promise<unknown>,
	): Promise<void> {
		const { workflow, node } = workflowOf(type, this.workflowId, this.stored, {
			webhookId: this.webhookId,
			parameters: this.parameters,
			...(!this.hasCredential && { credentials: undefined }),
		});
		const data = {
			...additionalData({ credential: this.credential, parameters: {} }),
			webhookBaseUrl: `${this.host}/webhook`,
		};
		const context = new HookContext(workflow, node, data, 'trigger', mode, {
			httpMethod: 'POST',
			node: node.name,
			path: `${this.webhookId}/webhook`,
			webhookDescription,
			workflowId: this.workflowId,
			workflowExecuteAdditionalData: data,
			isTest: false,
		});
		const log = jest.spyOn(context.logger, 'warn');
		log.mockImplementation((words) => void this.warnings.push(words));
		await call(context);
		this.stored = JSON.parse(JSON.stringify(workflow.staticData));
	}
}
