import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { connect } from '../../../nodes/MessagingService/n8n/connection';
import { explainFailure } from '../../../nodes/MessagingService/n8n/errors';
import { API_KEY } from '../helpers/api';
import { fake } from '../helpers/fake';

function contextWith(baseUrl: string) {
	const sent: unknown[] = [];
	const answer = async (how: string, { url }: IHttpRequestOptions) => {
		sent.push([how, url]);
		return { statusCode: 200, body: '' };
	};
	const getCredentials = jest.fn(async () => ({ baseUrl, apiKey: API_KEY }));
	const context = fake<IExecuteFunctions>({
		getCredentials,
		getExecutionCancelSignal: () => undefined,
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
	await client.send({ method: 'GET', path: '/a', repeat: 'idempotent' }, () => true);
	await client.send(
		{ method: 'POST', path: '/b', repeat: 'ifRefused', authenticate: false },
		() => true,
	);
	expect(sent).toEqual([
		['messagingServiceApi', 'https://messaging.example.com/a'],
		['without the key', 'https://messaging.example.com/b'],
	]);
	expect(getCredentials).toHaveBeenCalledTimes(1);
});

test('an address that cannot be used is a problem of the credential', async () => {
	const failure = await connect(contextWith('').context).catch((error: unknown) => error);
	expect(explainFailure(failure)).toEqual({
		message: 'The base URL is empty.',
		description: expect.stringMatching(/^Open the credential/),
	});
});

test('a long wait ends when the execution is stopped', async () => {
	// n8n's timer goes on behind a wait that was ended.
	jest.useFakeTimers();
	const controller = new AbortController();
	const answer = { statusCode: 429, headers: { 'Retry-After': '86400' }, body: '' };
	const context = fake<IExecuteFunctions>({
		getCredentials: async () => ({ baseUrl: 'https://waiting.example.com', apiKey: API_KEY }),
		helpers: { httpRequest: async () => answer, httpRequestWithAuthentication: async () => answer },
	});
	const client = await connect(context, { signal: controller.signal });
	const sending = client.send(
		{ method: 'POST', path: '/a', repeat: 'ifRefused', paced: true },
		() => true,
	);
	const failed = expect(sending).rejects.toMatchObject({
		answer: { reason: 'notStarted' },
		outcome: 'refused',
	});
	await jest.advanceTimersByTimeAsync(600_000);
	controller.abort();
	await failed;
	jest.useRealTimers();
});
