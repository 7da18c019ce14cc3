import { type Account, readAccount } from '../../../nodes/MessagingService/api/account';
import {
	Client,
	DEFAULT_TRANSPORT,
	type TransportOptions,
} from '../../../nodes/MessagingService/api/client';
import type { Clock } from '../../../nodes/MessagingService/api/clock';
import type { Failure, FailureReason, Response } from '../../../nodes/MessagingService/api/outcome';
import { resetPacers } from '../../../nodes/MessagingService/api/pacer';
import type { Http } from '../../../nodes/MessagingService/api/request';

/** The key in the credential of `clientOf`. */
export const API_KEY = 'key-for-tests-0001';

/** A response as it comes. */
export function response(status: number, text = '', headers: Response['headers'] = {}): Response {
	return { kind: 'response', status, text, headers };
}

/** A failure to get a response. */
export function failure(reason: FailureReason, detail = ''): Failure {
	return { kind: 'failure', reason, detail };
}

/** Every reason for which no response comes. */
export const FAILURE_REASONS: readonly FailureReason[] = Object.values({
	notSent: 'notSent',
	broken: 'broken',
	timeout: 'timeout',
	tooSlow: 'tooSlow',
	tooLarge: 'tooLarge',
	cancelled: 'cancelled',
	notStarted: 'notStarted',
	heldBack: 'heldBack',
	insecure: 'insecure',
	invalid: 'invalid',
	foreignLink: 'foreignLink',
} satisfies { [Reason in FailureReason]: Reason });

/** The account of `clientOf`. */
function account(): Account {
	return readAccount({ baseUrl: 'https://messaging.example.com/api', apiKey: API_KEY });
}

interface Setting {
	transport?: Partial<TransportOptions>;
	signal?: AbortSignal;
}

/** A client of a service in memory. Its pace does not depend on any client before. */
export function clientOf(http: Http, clock: Clock, { transport, signal }: Setting = {}): Client {
	resetPacers();
	const parts = { account: account(), http, clock, signal };
	return new Client(parts, { ...DEFAULT_TRANSPORT, ...transport });
}
