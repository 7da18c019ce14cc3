import type { IHttpRequestOptions } from 'n8n-workflow';
import { MessagingServiceApi } from '../../../credentials/MessagingServiceApi.credentials';

const CREDENTIAL = { baseUrl: 'https://messaging.example.com/api/', apiKey: 'key-1' };

/** In the words of both helpers of n8n. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
};

const authenticate = async (request: object) =>
	await new MessagingServiceApi().authenticate(CREDENTIAL, request as IHttpRequestOptions);

test.each([
	['an address', { url: 'https://messaging.example.com/api/public/messages' }],
	['an address as the older helper calls it', { uri: 'https://messaging.example.com/api/x' }],
	['a path below a base', { baseURL: 'https://messaging.example.com', url: '/verify-otp' }],
])('the key goes to %s of the service', async (_name, request) => {
	const { headers, ...more } = await authenticate({
		...request,
		headers: { accept: 'text/plain' },
	});
	expect(headers).toEqual({ accept: 'text/plain', apiKey: 'key-1' });
	expect(more).toMatchObject(NO_REDIRECTS);
});

test.each([
	['another host', { url: 'https://elsewhere.example.com/api/public/messages' }],
	['another host as the older helper calls it', { uri: 'https://elsewhere.example.com/' }],
	['another scheme', { url: 'http://messaging.example.com/api/public/messages' }],
	['another port', { url: 'https://messaging.example.com:8443/api/public/messages' }],
	['a user name that looks like the host', { url: 'https://messaging.example.com@evil.example/' }],
])('the key does not go to %s', async (_name, request) => {
	await expect(authenticate(request)).rejects.toThrow(
		'The API key is sent only to https://messaging.example.com, not to another address',
	);
});

test('the request of the credential test goes to the base URL, and ends', async () => {
	const { test: credentialTest } = new MessagingServiceApi();
	expect(await authenticate(credentialTest.request)).toMatchObject({
		baseURL: 'https://messaging.example.com/api',
		url: '/public/admin/inboxes',
		headers: { apiKey: 'key-1' },
		...NO_REDIRECTS,
		abortSignal: expect.any(AbortSignal),
	});
});
