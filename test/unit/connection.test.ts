import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { connect } from '../../nodes/MessagingService/connection';
import { explainFailure } from '../../nodes/MessagingService/nodeError';
import { API_KEY } from './helpers/api';
import { fake } from './helpers/fake';

function contextWith(baseUrl: string, signal?: AbortSignal, pause?: Promise<void>) {
	const sent: unknown[] = [];
	const answer = async (how: string, { url }: IHttpRequestOptions) => {
		sent.push([how, url]);
		await pause;
		return { statusCode: 200, body: '' };
	};
	const getCredentials = jest.fn(async () => ({ baseUrl, apiKey: API_KEY }));
	const context = fake<IExecuteFunctions>({
		getCredentials,
		getExecutionCancelSignal: () => signal,
		helpers: {
			httpRequest: async (request: IHttpRequestOptions) => answer('without the key', request),
			httpRequestWithAuthentication: async (type: string, request: IHttpRequestOptions) =>
				answer(type, request),
		},
	});
	return { context, getCredentials, sent };
}

test('requests go out by n8n, with the key unless they are not to have it', async () => {
	const { context, getCredentials, sent } = contextWith('https://messaging.example.com');
	const client = await connect(context);
	await client.send({ method: 'GET', path: '/a', repeat: 'idempotent' });
	await client.send({ method: 'POST', path: '/b', repeat: 'ifRefused', authenticate: false });
	expect(sent).toEqual([
		['messagingServiceApi', 'https://messaging.example.com/a'],
		['without the key', 'https://messaging.example.com/b'],
	]);
	expect(getCredentials).toHaveBeenCalledTimes(1);
});

test('requests under way end when the execution is stopped', async () => {
	const stop = new AbortController();
	const never = new Promise<void>(() => {});
	const { context } = contextWith('https://messaging.example.com', stop.signal, never);
	const client = await connect(context);
	const sending = client.send({ method: 'POST', path: '/', repeat: 'ifRefused' });
	await new Promise((resolve) => setImmediate(resolve));
	stop.abort();
	await expect(sending).rejects.toMatchObject({
		answer: { reason: 'cancelled' },
		outcome: 'unknown',
	});
});

test('an address that cannot be used is a problem of the credential', async () => {
	const failure = await connect(contextWith('').context).catch((error: unknown) => error);
	expect(explainFailure(failure)).toEqual({
		message: 'The base URL is empty.',
		description: expect.stringMatching(/^Open the credential/),
	});
});
