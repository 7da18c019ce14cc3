import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';
import type { Parameters } from '../../../nodes/MessagingService/fields/parameters';
import { Notices } from '../../../nodes/MessagingService/notices';
import type { Call } from '../../../nodes/MessagingService/resources/operation';
import { fake } from './fake';

/** The call of an operation that sends nothing. */
export function callOf(
	parameters: Parameters,
	input: IDataObject = {},
	notices = new Notices(),
	panel: INodeParameters = {},
): Call {
	return fake<Call>({ panel, parameters, input, notices });
}

/** The hints that the notices show on the node. */
export function shown(notices: Notices): unknown[] {
	const hints: unknown[] = [];
	notices.show(
		fake<IExecuteFunctions>({ addExecutionHints: (...added: unknown[]) => hints.push(...added) }),
	);
	return hints;
}
