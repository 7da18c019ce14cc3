import type { IExecuteFunctions } from 'n8n-workflow';
import { isTool } from '../n8n/private';
import type { Field } from './field';

/**
 * Whether failed items are output with their errors while the others continue: if "On Error" says so, and always for a
 * tool. Tools have no "On Error": when one fails, n8n gives the model an empty answer or ends the agent.
 */
export function continuesOnFail(context: IExecuteFunctions): boolean {
	return context.continueOnFail() || isTool(context);
}

/**
 * Whether a parameter contains "$fromAI", so that the AI model fills it in. The model has to give each of these a
 * value, so it gives an empty text where it has none.
 *
 * @param value the parameter with expressions unresolved
 */
export function isLeftToModel(value: unknown): boolean {
	return /\$fromai\s*\(/i.test(JSON.stringify(value) ?? '');
}

/** The field that describes the tool to an AI agent. Without it, n8n would give only the action. */
export function toolDescriptionField(toolDescription: string): Field {
	return {
		displayName: 'Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 6 },
		displayOptions: { show: { '@tool': [true] } },
		default: toolDescription,
		description: 'What the AI model is told about this tool, so that it knows when to use it',
		hint: 'To let the model fill in a field below, such as a phone number, select the stars to its right. The model cannot change the others.',
	};
}
