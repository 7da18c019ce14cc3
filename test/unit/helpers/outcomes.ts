import type {
	Failure,
	FailureReason,
	Response,
} from '../../../nodes/MessagingService/transport/exchange';

/** A response as the exchange gives it. */
export function response(status: number, text = '', headers: Response['headers'] = {}): Response {
	return { kind: 'response', status, text, headers };
}

/** A failure as the exchange gives it. */
export function failure(reason: FailureReason, detail = ''): Failure {
	return { kind: 'failure', reason, detail };
}

/** Every reason for which no response comes. */
export const FAILURE_REASONS: readonly FailureReason[] = [
	'notSent',
	'broken',
	'timeout',
	'cancelled',
	'notStarted',
	'insecure',
	'invalid',
];
