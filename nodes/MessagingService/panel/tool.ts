import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

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
 * Whether a parameter is left to the model: it fills in whatever is written with "$fromAI". It has to give each of these a
 * value, so it gives an empty text where it has none.
 *
 * @param value the parameter as the panel has it
 */
export function isLeftToModel(value: unknown): boolean {
	return FROM_AI.test(JSON.stringify(value) ?? '');
}

/** The field that describes the tool to an AI agent. By itself, n8n would give only the action. */
export function toolDescriptionField(toolDescription: string): INodeProperties {
	return {
		displayName: 'Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 4 },
		displayOptions: { show: { '@tool': [true] } },
		default: toolDescription,
		description: 'What the AI model is told about this tool, so that it knows when to use it',
		hint: 'To let the model fill in a field below, select the stars to its right. It cannot change the others.',
	};
}
