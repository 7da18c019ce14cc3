import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { Parameters } from '../../../nodes/MessagingService/fields/parameters';
import { fake } from './fake';
import { nodeWith } from './node';

interface Setting {
	/** Time zone of the workflow. */
	timezone?: string;
	/** The parameters as the panel holds them: an expression is a text that begins with "=". */
	inPanel?: INodeParameters;
}

/** The parameters of a node, by the names that the readers use, such as `options.page`. */
export function parametersOf(
	values: Record<string, unknown>,
	{ timezone = 'Europe/Berlin', inPanel = {} }: Setting = {},
): Parameters {
	const context = fake<IExecuteFunctions>({
		getNodeParameter: (name: string) => values[name],
		getNode: () => nodeWith(inPanel),
		getTimezone: () => timezone,
	});
	return new Parameters(context, 3);
}

/** The error that a reader throws; fails when it does not throw one for the user. */
export function failureOf(read: () => unknown): NodeOperationError {
	try {
		read();
	} catch (error) {
		if (error instanceof NodeOperationError) return error;
		throw error;
	}
	throw new Error('nothing was thrown');
}
