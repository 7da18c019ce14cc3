import type { IWebhookFunctions } from 'n8n-workflow';
import { toCall } from '../../../../nodes/MessagingService/trigger/verification/call';
import { fake } from '../../helpers/fake';

const PRODUCTION = 'https://n8n.example.com/prefix/webhook/1/webhook';
const TEST = 'https://n8n.example.com/prefix/webhook-test/1/webhook';

const request = (originalUrl: string) => ({
	method: 'POST',
	headers: { a: 'b' },
	query: { c: 'd' },
	originalUrl,
	rawBody: Buffer.from('e'),
});

function callOf(originalUrl: string, members: object) {
	const getRequestObject = () => request(originalUrl);
	return toCall(fake<IWebhookFunctions>({ getRequestObject, ...members }));
}

test('has what came, and asks n8n for the address only when it is needed', () => {
	const { address, ...rest } = callOf('/webhook/1/webhook?c=d', {});
	expect(rest).toEqual(request('/webhook/1/webhook?c=d'));
	expect(address).toThrow('is not part of this fake');
});

test('has the address that n8n says was called', () => {
	const getWebhookResourceUrl = (name: string) => (name === 'default' ? TEST : undefined);
	const call = callOf('/webhook-test/1/webhook', { getWebhookResourceUrl });
	expect(call.address()).toBe(TEST);
});

test('has the address for production with an n8n that knows no other', () => {
	const originalUrl = '/hooks/1';
	const older = { getWebhookResourceUrl: undefined };
	const getNodeWebhookUrl = (name: string) => (name === 'default' ? PRODUCTION : undefined);
	const call = callOf(originalUrl, { ...older, getNodeWebhookUrl });
	expect(call.address()).toBe(PRODUCTION);
	const unknown = callOf(originalUrl, { ...older, getNodeWebhookUrl: () => undefined });
	expect(unknown.address()).toBeUndefined();
});
