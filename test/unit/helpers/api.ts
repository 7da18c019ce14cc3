import { readAccount } from '../../../nodes/MessagingService/api/account';
import { CallGate } from '../../../nodes/MessagingService/api/callGate';
import {
	Client,
	DEFAULT_TRANSPORT,
	type TransportOptions,
} from '../../../nodes/MessagingService/api/client';
import type { Clock } from '../../../nodes/MessagingService/api/time';
import type { ApiResponse, Http } from '../../../nodes/MessagingService/api/request';

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

/** Takes any response for what the interface promises. */
export const asIs = (answer: ApiResponse): ApiResponse => answer;

interface Setting {
	transport?: Partial<TransportOptions>;
	signal?: AbortSignal;
	/** The most calls at once. */
	concurrency?: number;
}

let teams = 0;

/** A client of a service in memory. It is of a team of its own: its pace does not depend on any client before. */
export function clientOf(
	http: Http,
	clock: Clock,
	{ transport, signal, concurrency }: Setting = {},
): Client {
	const account = {
		...readAccount({ baseUrl: 'https://messaging.example.com/api', apiKey: API_KEY }),
		team: `team-${++teams}`,
	};
	const gate = new CallGate(clock, signal, concurrency);
	return new Client({ account, http, clock, gate, signal }, { ...DEFAULT_TRANSPORT, ...transport });
}
