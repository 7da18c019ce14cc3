import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { type Client, createClient } from '../../../nodes/MessagingService/transport/client';
import { fake } from './fake';
import { nodeWith } from './node';
import type { VirtualClock } from './virtualClock';

/** The key in the credential of `clientOf`. */
export const API_KEY = 'key-for-tests-0001';

/** What a service answers: as n8n's request helper gives a full response. */
export interface Answer {
	statusCode: number;
	body: string;
	headers?: Record<string, string>;
}

/** A service in memory. */
export type Answerer = (request: IHttpRequestOptions) => Promise<Answer>;

/** The client of a node whose requests go to a service in memory. */
export async function clientOf(
	answer: Answerer,
	clock: VirtualClock,
	baseUrl = 'https://messaging.example.com/api',
): Promise<Client> {
	const helpers = fake<IExecuteFunctions['helpers']>({
		httpRequestWithAuthentication: async (_type: string, request: IHttpRequestOptions) =>
			await answer(request),
	});
	const context = fake<IExecuteFunctions>({
		getCredentials: async () => ({ baseUrl, apiKey: API_KEY }),
		getNode: () => nodeWith(),
		getExecutionCancelSignal: () => undefined,
		helpers,
	});
	return await createClient(context, clock);
}
