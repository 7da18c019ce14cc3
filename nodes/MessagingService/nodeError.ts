import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { IncompleteList } from './api/list';
import type { Explanation } from './api/request';
import { RequestFailure } from './api/requestFailure';
import { Redactor } from './api/secrets';
import { BaseUrlError } from './api/url';
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

/** What goes into an n8n error beside the failure itself. */
export interface ErrorContext {
	itemIndex?: number;
	/** What the caller has to say beneath it. */
	addition?: string;
	/** Knows what the error may not show; of a failed request that is known anyway. */
	redactor?: Redactor;
}

const NO_SECRETS = new Redactor([]);

/**
 * Makes the n8n error of a failure, complete, once, and without secrets. To be called where a failure leaves the
 * package: by the item loop, the pickers and the trigger's hooks.
 *
 * @returns What n8n itself has thrown is returned as it is.
 */
export function toNodeError(
	node: INode,
	failure: unknown,
	{ itemIndex, addition, redactor = NO_SECRETS }: ErrorContext = {},
): Error {
	const words = explainFailure(failure);
	if (!words) {
		return failure instanceof Error ? failure : new NodeOperationError(node, String(failure));
	}
	const message = redactor.hide(words.message);
	const description = [redactor.hide(words.description), addition].filter(Boolean).join(' ');
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
	context?: ErrorContext,
): Promise<Result> {
	try {
		return await work();
	} catch (error) {
		throw toNodeError(node, error, context);
	}
}

/** The words of a failure for the user; undefined for one that is not of this package. */
export function explainFailure(failure: unknown): Explanation | undefined {
	if (failure instanceof RequestFailure) return explain(failure);
	if (failure instanceof Problem) return failure;
	if (failure instanceof BaseUrlError) {
		const { message } = failure;
		return {
			message,
			description: 'Open the credential and enter the address of your messaging service.',
		};
	}
	if (!(failure instanceof IncompleteList)) return undefined;
	const { message = failure.message, description = '' } = explainFailure(failure.cause) ?? {};
	const missing =
		failure.pages === undefined ? '' : `Missing from the list: page ${failure.pages}. `;
	const { cause } = failure;
	const words = missing + description;
	return {
		message,
		description: cause instanceof RequestFailure ? cause.redactor.hide(words) : words,
	};
}
