import {
	type Failure,
	type IDataObject,
	type IHookFunctions,
	type INode,
	type IPollFunctions,
	type IWebhookFunctions,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { type Answer, type Explanation, type FailedOutcome, RequestFailure } from '../api/request';
import { isRateLimited, mayRepeat, readRetryAfter } from '../api/retry';
import { Redactor } from '../api/secrets';
import { toText } from '../api/text';
import { explain } from '../words/explanation';
import { isOwnFailure, Problem } from '../words/problem';
import { withoutCancel } from './private';

/** What goes into an n8n error besides the failure itself. */
export interface ErrorContext {
	itemIndex?: number;
	/** What the caller adds to the description. */
	addition?: string;
	/** Hides secrets in the error. */
	redactor?: Redactor;
}

/**
 * Turns a failure into n8n's error, in words for the user and without secrets, where the failure leaves the package. An
 * error that n8n itself has thrown keeps its kind and context, such as the place of a wrong expression.
 */
export function toNodeError(
	node: INode,
	failure: unknown,
	{ itemIndex, addition, redactor = new Redactor([]) }: ErrorContext = {},
): NodeApiError | NodeOperationError {
	const words = explainFailure(failure);
	const isCancel = failure instanceof RequestFailure && failure.isCancelled;
	const hidden = redactor.shown(words.message);
	const message = isCancel ? hidden : withoutCancel(hidden);
	const description = [redactor.shown(words.description), addition].filter(Boolean).join(' ');
	const error = errorFor(node, failure, { message, description, itemIndex });
	// n8n replaces a message with the letters of a system error, as "preexisting" has (EEXIST), so it is set again.
	return Object.assign(error, { message, description });
}

function errorFor(
	node: INode,
	failure: unknown,
	words: Explanation & { itemIndex?: number },
): NodeApiError | NodeOperationError {
	if (failure instanceof NodeApiError) return failure;
	const { message } = words;
	const request = failure instanceof Problem ? failure.cause : failure;
	if (request instanceof RequestFailure) {
		const inN8n = { failure: causeOf(request.answer), httpCode: request.status?.toString() };
		return new NodeApiError(node, { message }, { ...words, ...inN8n });
	}
	const cause = failure instanceof Error && !isOwnFailure(failure) ? failure : message;
	return new NodeOperationError(node, cause, words);
}

/** The columns that an item gets when it fails: what became of it, what happened, and why and what to do. */
export function failureColumns(
	{ message, description }: Pick<NodeApiError, 'message' | 'description'>,
	outcome?: FailedOutcome,
): IDataObject {
	return {
		...(outcome ? { outcome } : {}),
		error: message,
		...(description ? { errorDescription: description } : {}),
	};
}

/** Why a request failed, in n8n's terms; undefined where n8n has none. Before 2.41, n8n does not look at it. */
function causeOf(answer: Answer): Failure | undefined {
	if (answer.kind === 'response' && answer.status === 401) return { cause: 'credential-invalid' };
	if (isRateLimited(answer)) {
		return { cause: 'rate-limited', retryAfterMs: readRetryAfter(answer) };
	}
	const mayPass = mayRepeat('evenIfUnknown', answer);
	return mayPass ? { cause: 'temporarily-unavailable' } : undefined;
}

/**
 * Explains why an activation failed, and what to do. Both the message and the description say so, since n8n 2 shows
 * only the message of such an error, and n8n 1 only its description.
 *
 * @param advice what to do, besides what the failure itself says
 */
export function activationProblem(failure: unknown, advice = ''): Problem {
	const { message, description } = explainFailure(failure);
	const short = `${message.replace(/\.$/, '')}. ${advice || description}`;
	return new Problem(short.trim(), `${description} ${advice}`.trim());
}

/** The words of a failure for the user, whether it comes from this package or not. */
export function explainFailure(failure: unknown): Explanation {
	if (failure instanceof RequestFailure) return explain(failure);
	if (!(failure instanceof Error)) return { message: String(failure), description: '' };
	const { message } = failure;
	const description = 'description' in failure && toText(failure.description);
	return { message, description: description || '' };
}

/** The node and the workflow, for log entries. */
export function logContext(context: IHookFunctions | IPollFunctions | IWebhookFunctions) {
	return { node: context.getNode().name, workflowId: context.getWorkflow().id };
}
