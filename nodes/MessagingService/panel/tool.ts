import type { IExecuteFunctions } from 'n8n-workflow';

const FROM_AI = /\$fromai\s*\(/i;

/** Whether the node runs as the tool of an AI agent. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/**
 * Whether what fails comes out with its error, and the rest goes on: where "On Error" says so, and always for a tool.
 * n8n has no "On Error" for tools, and hands the model an empty answer, or ends the agent, when one fails.
 */
export function continuesOnFail(context: IExecuteFunctions): boolean {
	return context.continueOnFail() || isTool(context);
}

/**
 * Whether a parameter is left to the model: n8n has it fill in whatever is written with "$fromAI". As the model has to
 * give each of these a value, it gives an empty text where it has none.
 *
 * @param value the parameter as the panel has it
 */
export function isLeftToModel(value: unknown): boolean {
	return FROM_AI.test(JSON.stringify(value) ?? '');
}
