import { Pacers } from '../../../nodes/MessagingService/api/pacer';
import { readAccount } from '../../../nodes/MessagingService/panel/credential';
import { CallQueue } from '../../../nodes/MessagingService/api/callQueue';
import {
	Client,
	DEFAULT_TRANSPORT,
	type TransportOptions,
} from '../../../nodes/MessagingService/api/client';
import type { Clock } from '../../../nodes/MessagingService/api/time';
import {
	type Answer,
	type ApiResponse,
	type FailedOutcome,
	type Http,
	noResponse,
	RequestFailure,
} from '../../../nodes/MessagingService/api/request';

/** The key in the credential of `clientOf`. */
export const API_KEY = 'key-for-tests-0001';

/** A response as it comes. */
export function response(
	status: number,
	text = '',
	headers: ApiResponse['headers'] = {},
): ApiResponse {
	return { kind: 'response', sentAt: new Date(), status, text, headers };
}

/** The failure of a write. */
export function failureOf(outcome: FailedOutcome, answer: Answer = noResponse('broken')) {
	const origin = 'https://messaging.example.com';
	const write = { method: 'POST', path: '/', repeat: 'ifRefused', origin, timeout: 0 } as const;
	return new RequestFailure(write, answer, outcome);
}

/** Takes any response for what the interface promises. */
export const asIs = (answer: ApiResponse): ApiResponse => answer;

interface Setting {
	transport?: Partial<TransportOptions>;
	signal?: AbortSignal;
	/** The most calls at once. */
	maxCalls?: number;
	/** The execution that it is for. */
	execution?: string;
	/** The pace of all clients in a process; one of its own when left out. */
	pacers?: Pacers;
}

/** A client of a service in memory. */
export function clientOf(
	http: Http,
	clock: Clock,
	{ transport, signal, maxCalls, execution = '1', pacers = new Pacers(clock) }: Setting = {},
): Client {
	const account = readAccount({
		baseUrl: 'https://messaging.example.com/api',
		apiKey: API_KEY,
	});
	const queue = new CallQueue(clock, signal, maxCalls);
	const parts = { account, http, clock, queue, pacers, execution, signal };
	return new Client(parts, { ...DEFAULT_TRANSPORT, ...transport });
}
