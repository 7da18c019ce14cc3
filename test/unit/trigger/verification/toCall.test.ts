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

test.each([
	['production', 'trigger', '/webhook/1/webhook?a=/', PRODUCTION],
	['production behind a proxy with other paths', 'trigger', '/hooks/1', PRODUCTION],
	['tests', 'manual', '/webhook-test/1/webhook?a=/', TEST],
	['tests below a prefix', 'manual', '/prefix/webhook-test/1/webhook', TEST],
])('has the address for %s with an n8n that knows that for production only', (...row) => {
	const [, mode, originalUrl, expected] = row;
	const older = { getWebhookResourceUrl: undefined, getMode: () => mode };
	const getNodeWebhookUrl = (name: string) => (name === 'default' ? PRODUCTION : undefined);
	const call = callOf(originalUrl, { ...older, getNodeWebhookUrl });
	expect(call.address()).toBe(expected);
	const unknown = callOf(originalUrl, { ...older, getNodeWebhookUrl: () => undefined });
	expect(unknown.address()).toBeUndefined();
});
