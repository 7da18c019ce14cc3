import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { IncompleteList } from './api/list';
import type { Explanation } from './api/request';
import { RequestFailure } from './api/requestFailure';
import { explain } from './explanation';

/** A failure that has nothing to do with a request, such as a wrong parameter, in words for the user. */
export class Problem extends Error {
	override name = 'Problem';
	/** Why, and what to do. */
	readonly description: string;

	constructor(message: string, description = '') {
		super(message);
		this.description = description;
	}
}

/**
 * Makes the n8n error of a failure, complete and once. To be called where a failure leaves the package: by the
 * item loop, the pickers and the trigger's hooks.
 *
 * @param addition what the caller has to say beneath it
 * @returns What n8n itself has thrown is returned as it is.
 */
export function toNodeError(
	node: INode,
	failure: unknown,
	itemIndex?: number,
	addition = '',
): Error {
	const words = explainFailure(failure);
	if (!words) {
		return failure instanceof Error ? failure : new NodeOperationError(node, String(failure));
	}
	const { message } = words;
	const description = [words.description, addition].filter(Boolean).join(' ');
	const request = failure instanceof IncompleteList ? failure.cause : failure;
	const error =
		request instanceof RequestFailure
			? new NodeApiError(
					node,
					{ message },
					{ message, description, itemIndex, httpCode: request.status?.toString() },
				)
			: new NodeOperationError(node, message, { description, itemIndex });
	// n8n replaces a message that happens to contain the letters of a system error, as "preexisting" does.
	return Object.assign(error, { message });
}

/** Does work at an edge of the package, where failures have to be n8n's errors. */
export async function withNodeErrors<Result>(
	node: INode,
	work: () => Promise<Result>,
): Promise<Result> {
	try {
		return await work();
	} catch (error) {
		throw toNodeError(node, error);
	}
}

/** The words of a failure for the user; undefined for one that is not of this package. */
export function explainFailure(failure: unknown): Explanation | undefined {
	if (failure instanceof RequestFailure) return explain(failure);
	if (failure instanceof Problem) return failure;
	if (!(failure instanceof IncompleteList)) return undefined;
	const { message = 'The list could not be read to its end', description = '' } =
		explainFailure(failure.cause) ?? {};
	const missing =
		failure.pages === undefined ? '' : `Missing from the list: page ${failure.pages}. `;
	return { message, description: missing + description };
}
