import { readAccount } from '../../../nodes/MessagingService/api/account';
import type { Http, Response } from '../../../nodes/MessagingService/api/request';
import {
	Client,
	DEFAULT_TRANSPORT,
	type TransportOptions,
} from '../../../nodes/MessagingService/api/client';
import type { Clock } from '../../../nodes/MessagingService/api/clock';
import { resetPacers } from '../../../nodes/MessagingService/api/pacer';

/** The key in the credential of `clientOf`. */
export const API_KEY = 'key-for-tests-0001';

/** A response as it comes. */
export function response(status: number, text = '', headers: Response['headers'] = {}): Response {
	return { kind: 'response', status, text, headers };
}

interface Setting {
	apiKey?: string;
	transport?: Partial<TransportOptions>;
	items?: number;
	signal?: AbortSignal;
	log?(words: string): void;
}

/** A client of a service in memory. Its pace does not depend on any client before. */
export function clientOf(
	http: Http,
	clock: Clock,
	{ apiKey = API_KEY, transport, ...parts }: Setting = {},
): Client {
	resetPacers();
	const account = readAccount({ baseUrl: 'https://messaging.example.com/api', apiKey });
	return new Client({ account, http, clock, ...parts }, { ...DEFAULT_TRANSPORT, ...transport });
}
