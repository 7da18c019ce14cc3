import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { connect } from '../../nodes/MessagingService/connection';
import { explainFailure } from '../../nodes/MessagingService/nodeError';
import { API_KEY } from './helpers/api';
import { fake } from './helpers/fake';
import { nodeWith } from './helpers/node';

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
	await client.send({ method: 'GET', path: '/a', repeat: 'idempotent' });
	await client.send({ method: 'POST', path: '/b', repeat: 'ifRefused', authenticate: false });
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

test("a long wait is told in n8n's log, and ends when the execution is stopped", async () => {
	// n8n's timer goes on behind a wait that was ended.
	jest.useFakeTimers();
	const controller = new AbortController();
	const info = jest.fn(() => controller.abort());
	const answer = { statusCode: 429, headers: { 'Retry-After': '86400' }, body: '' };
	const context = fake<IExecuteFunctions>({
		getCredentials: async () => ({ baseUrl: 'https://waiting.example.com', apiKey: API_KEY }),
		getExecutionCancelSignal: () => controller.signal,
		getNode: () => nodeWith(),
		helpers: { httpRequest: async () => answer, httpRequestWithAuthentication: async () => answer },
		logger: { info },
	});
	const client = await connect(context);
	await expect(
		client.send({ method: 'POST', path: '/a', repeat: 'ifRefused', paced: true }),
	).rejects.toMatchObject({ answer: { reason: 'notStarted' }, outcome: 'refused' });
	expect(info.mock.calls).toEqual([
		[expect.stringContaining('wait for 900 seconds'), { node: 'Messaging Service' }],
	]);
	jest.useRealTimers();
});
