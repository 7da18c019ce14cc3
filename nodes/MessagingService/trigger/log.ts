import type { IWebhookFunctions } from 'n8n-workflow';

/** Writes into n8n's log what became of a call, and at which trigger. */
export function log(context: IWebhookFunctions, level: 'info' | 'warn', message: string): void {
	context.logger[level](message, {
		node: context.getNode().name,
		workflowId: context.getWorkflow().id,
	});
}
