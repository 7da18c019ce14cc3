/** The trigger as n8n switches it on and off. */
import { randomUUID } from 'node:crypto';

import { HookContext } from 'n8n-core';
import {
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INode,
	type INodeParameters,
	type IWebhookData,
	type WorkflowActivateMode,
	type WorkflowExecuteMode,
	Workflow,
} from 'n8n-workflow';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node';
import { additionalData, onlyType } from './engine.ts';

const HOST = 'https://n8n.example.com';

/** A trigger in a workflow, with what n8n keeps of it. It may be changed while the trigger is off. */
export interface TriggerSetting {
	credential: ICredentialDataDecryptedObject;
	parameters: INodeParameters;
	/** Where n8n is reached from outside; WEBHOOK_URL in a real one. */
	host: string;
	/** The workflow's static data as n8n has stored them. */
	stored: IDataObject;
	hasCredential: boolean;
	/** What it wrote into n8n's log. */
	warnings: string[];
}

/** A trigger that is switched on and off. */
export interface Trigger {
	setting: TriggerSetting;
	/** The address that n8n gives it. */
	readonly address: string;
	/** Switches it on; throws what stops the activation. */
	activate(mode?: WorkflowActivateMode): Promise<void>;
	deactivate(): Promise<void>;
}

/** A trigger of its own, with automatic registration unless the parameters say otherwise. */
export function triggerOf(
	credential: ICredentialDataDecryptedObject,
	parameters: INodeParameters = {},
): Trigger {
	const [webhookId, workflowId] = [randomUUID(), randomUUID()];
	const type = new MessagingServiceTrigger();
	const { create, checkExists, delete: remove } = type.webhookMethods.default;
	const setting: TriggerSetting = {
		credential: {
			webhookSecret: 'secret-of-the-webhook',
			previousWebhookSecret: 'secret-before-that',
			...credential,
		},
		parameters: {
			registration: 'automatic',
			subscriptionPath: '/public/webhooks',
			...parameters,
		},
		host: HOST,
		stored: {},
		hasCredential: true,
		warnings: [],
	};

	const workflowWith = (staticData: IDataObject) => {
		const node: INode = {
			id: 'trigger',
			name: 'Trigger',
			type: 'messagingServiceTrigger',
			typeVersion: 2,
			position: [0, 0],
			webhookId,
			parameters: setting.parameters,
			...(setting.hasCredential && {
				credentials: { messagingServiceApi: { id: '1', name: 'Account' } },
			}),
		};
		return new Workflow({
			id: workflowId,
			active: true,
			nodeTypes: onlyType(type),
			staticData,
			nodes: [node],
			connections: {},
		});
	};

	const contextOf = (
		workflow: Workflow,
		mode: WorkflowExecuteMode,
		activation: WorkflowActivateMode,
	) => {
		const node = workflow.getNode('Trigger');
		const webhookDescription = type.description.webhooks?.find(({ name }) => name === 'default');
		if (!node || !webhookDescription) throw new Error('There is no trigger');
		const data = {
			...additionalData({ credential: setting.credential, parameters: {} }),
			webhookBaseUrl: `${setting.host}/webhook`,
		};
		const webhookData: IWebhookData = {
			httpMethod: 'POST',
			node: node.name,
			path: `${webhookId}/webhook`,
			webhookDescription,
			workflowId,
			workflowExecuteAdditionalData: data,
			isTest: false,
		};
		const context = new HookContext(workflow, node, data, mode, activation, webhookData);
		const log = jest.spyOn(context.logger, 'warn');
		log.mockImplementation((words) => void setting.warnings.push(words));
		return context;
	};

	const storedCopy = () => structuredClone(setting.stored);
	const store = (workflow: Workflow) => {
		setting.stored = JSON.parse(JSON.stringify(workflow.staticData));
	};

	const switchOn = async (context: HookContext) => {
		if (!(await checkExists.call(context))) await create.call(context);
	};
	const deactivate = async () => {
		const workflow = workflowWith(storedCopy());
		await remove.call(contextOf(workflow, 'internal', 'update'));
		store(workflow);
	};

	return {
		setting,
		get address() {
			return `${setting.host}/webhook/${webhookId}/webhook`;
		},
		async activate(mode = 'activate') {
			const workflow = workflowWith(storedCopy());
			try {
				await switchOn(contextOf(workflow, 'trigger', mode));
			} catch (error) {
				await deactivate().catch(() => {});
				throw error;
			}
			store(workflow);
		},
		deactivate,
	};
}
