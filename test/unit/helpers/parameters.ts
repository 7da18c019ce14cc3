import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { Parameters } from '../../../nodes/MessagingService/fields/parameters';
import { fake } from './fake';
import { nodeWith } from './node';

interface Setting {
	/** Time zone of the workflow. */
	timezone?: string;
}

/** The parameters of a node, by the names that the readers use, such as `options.page`. */
export function parametersOf(
	values: Record<string, unknown>,
	{ timezone = 'Europe/Berlin' }: Setting = {},
): Parameters {
	const context = fake<IExecuteFunctions>({
		getNodeParameter: (name: string) => (name in values ? values[name] : membersOf(values, name)),
		getNode: () => nodeWith({}),
		getTimezone: () => timezone,
	});
	return new Parameters(context, 3);
}

/** The collection that the values named `collection.member` make up, if there are any. */
function membersOf(values: Record<string, unknown>, collection: string): object | undefined {
	const prefix = `${collection}.`;
	const members = Object.entries(values).flatMap(([name, value]) =>
		name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
	);
	return members.length > 0 ? Object.fromEntries(members) : undefined;
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
