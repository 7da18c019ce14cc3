import type { IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

/** The node and the workflow, for log entries. */
export function logContext(context: IHookFunctions | IPollFunctions | IWebhookFunctions) {
	return { node: context.getNode().name, workflowId: context.getWorkflow().id };
}
