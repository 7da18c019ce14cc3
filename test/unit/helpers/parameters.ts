import type { IExecuteFunctions } from 'n8n-workflow';
import { Problem } from '../../../nodes/MessagingService/words/problem';
import { ItemParameters } from '../../../nodes/MessagingService/panel/itemParameters';
import { fake } from './fake';

interface Setting {
	/** Time zone of the workflow. */
	timezone?: string;
	itemIndex?: number;
}

/** The parameters of a node; those of a collection may be named like `options.timeout`. */
export function parametersOf(
	values: Record<string, unknown>,
	{ timezone = 'Europe/Berlin', itemIndex = 3 }: Setting = {},
): ItemParameters {
	const context = fake<IExecuteFunctions>({
		getNodeParameter: (name: string) => (name in values ? values[name] : membersOf(values, name)),
		getTimezone: () => timezone,
	});
	return new ItemParameters(context, itemIndex);
}

/** The collection that the values named `collection.member` make up, if there are any. */
function membersOf(values: Record<string, unknown>, collection: string): object | undefined {
	const prefix = `${collection}.`;
	const members = Object.entries(values).flatMap(([name, value]) =>
		name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
	);
	return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/** The problem that a reader finds; fails when it throws anything else, or nothing. */
export function failureOf(read: () => unknown): Problem {
	try {
		read();
	} catch (error) {
		if (error instanceof Problem) return error;
		throw error;
	}
	throw new Error('nothing was thrown');
}
