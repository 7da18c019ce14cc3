import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { connect } from '../../nodes/MessagingService/connection';
import { explainFailure } from '../../nodes/MessagingService/nodeError';
import { systemClock } from '../../nodes/MessagingService/systemClock';
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
	await client.send({ method: 'GET', path: '/a' });
	await client.send({ method: 'POST', path: '/b', authenticate: false });
	expect(sent).toEqual([
		['messagingServiceApi', 'https://messaging.example.com/a'],
		['without the key', 'https://messaging.example.com/b'],
	]);
	expect(getCredentials).toHaveBeenCalledTimes(1);
});

test('when an execution is stopped, what changes something may still be answered for a moment', async () => {
	for (const isInTime of [true, false]) {
		let answerNow = () => {};
		let endOfMoment = () => {};
		const pause = new Promise<void>((resolve) => (answerNow = resolve));
		const moment = new Promise<void>((resolve) => (endOfMoment = resolve));
		const wait = jest.spyOn(systemClock, 'wait').mockReturnValue(moment);
		const stop = new AbortController();
		const { context } = contextWith('https://messaging.example.com', stop.signal, pause);
		const client = await connect(context);
		const statusOf = async (method: 'GET' | 'POST') =>
			await client.send({ method, path: '/' }).then(
				({ status }) => status,
				(failure: unknown) => explainFailure(failure)?.message,
			);
		const [read, write] = [statusOf('GET'), statusOf('POST')];
		await new Promise((resolve) => setImmediate(resolve));

		stop.abort();
		expect(await read).toContain('canceled');
		(isInTime ? answerNow : endOfMoment)();
		if (isInTime) expect(await write).toBe(200);
		else expect(await write).toContain('canceled');
		expect(wait.mock.calls).toEqual([[2_000]]);
		wait.mockRestore();
	}
});

test('an address that cannot be used is a problem of the credential', async () => {
	const failure = await connect(contextWith('').context).catch((error: unknown) => error);
	expect(explainFailure(failure)).toEqual({
		message: 'The base URL is empty.',
		description: expect.stringMatching(/^Open the credential/),
	});
});
