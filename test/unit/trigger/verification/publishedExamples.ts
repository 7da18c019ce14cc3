/** Signed calls that services and others have published, with what signs in this way. */
import type { IDataObject } from 'n8n-workflow';

/** A call that a service has signed, and how the trigger is to verify it. */
export interface Example {
	service: string;
	/** Where the example is published. */
	source: string;
	/** The parameters of the trigger. */
	parameters: IDataObject;
	secret: string;
	headers: Record<string, string>;
	body: string;
	/** When it was sent, if it says so; milliseconds since 1970. */
	sentAt?: number;
	/** The right one where there are several signatures. */
	signature?: string;
}

const custom = (signatureHeader: string, signature: IDataObject): IDataObject => ({
	verification: 'signature',
	signatureHeader,
	signature,
});

const seconds = (timestamp: string) => Number(timestamp) * 1_000;

const standardWebhooks = {
	parameters: { verification: 'signature', scheme: 'standardWebhooks' },
	secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
	body: '{"test": 2432232314}',
	sentAt: seconds('1614265330'),
};

const standardWebhooksHeaders = {
	'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
	'webhook-timestamp': '1614265330',
	'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

const slackBody = [
	'token=xyzz0WbapA4vBCDEFasx0q6G',
	'team_id=T1DC2JH3J',
	'team_domain=testteamnow',
	'channel_id=G8PSS9T3V',
	'channel_name=foobar',
	'user_id=U2CERLKJA',
	'user_name=roadrunner',
	'command=%2Fwebhook-collect',
	'text=',
	'response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN',
	'trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
].join('&');

const sinchBody =
	'{"app_id":"","accepted_time":"2021-10-18T17:49:13.813615Z","project_id":"e2df3a34-a71b-4448-9db5-a8d2baad28e4","contact_create_notification":{"contact":{"id":"01FJA8B466Y0R2GNXD78MD9SM1","channel_identities":[{"channel":"SMS","identity":"48123456789","app_id":""}],"display_name":"New Test Contact","email":"new.contact@email.com","external_id":"","metadata":"","language":"EN_US"}},"message_metadata":""}';

export const EXAMPLES: Example[] = [
	{
		service: 'GitHub',
		source: 'docs.github.com, Validating webhook deliveries',
		parameters: custom('X-Hub-Signature-256', { prefix: 'sha256=' }),
		secret: "It's a Secret to Everybody",
		headers: {
			'X-Hub-Signature-256':
				'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
		},
		body: 'Hello, World!',
	},
	{
		service: 'Intercom, as GitHub signed at first',
		source: 'octokit/webhooks.js, test/unit/sign-test.js',
		parameters: custom('X-Hub-Signature', { algorithm: 'sha1', prefix: 'sha1=' }),
		secret: 'mysecret',
		headers: { 'X-Hub-Signature': 'sha1=d03207e4b030cf234e3447bac4d93add4c6643d8' },
		body: '{"foo":"bar"}',
	},
	{
		service: 'LINE, and Shopify with another header',
		source: 'line/line-bot-sdk-nodejs, test/validate-signature.spec.ts',
		parameters: custom('X-Line-Signature', { encoding: 'base64' }),
		secret: 'test_secret',
		headers: { 'x-line-signature': 't7Hn4ZDHqs6e+wdvI5TyQIvzie0DmMUmuXEBqyyE/tM=' },
		body: '{"hello":"world"}',
	},
	{
		service: 'Slack',
		source: 'docs.slack.dev, Verifying requests from Slack',
		parameters: custom('X-Slack-Signature', {
			prefix: 'v0=',
			signedContent: 'v0:{timestamp}:{body}',
			timestampHeader: 'X-Slack-Request-Timestamp',
		}),
		secret: '8f742231b10e8888abcd99yyyzzz85a5',
		headers: {
			'X-Slack-Request-Timestamp': '1531420618',
			'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
		},
		body: slackBody,
		sentAt: seconds('1531420618'),
	},
	{
		service: 'Standard Webhooks',
		source: 'standard-webhooks, libraries/javascript/src/webhook.test.ts',
		...standardWebhooks,
		headers: standardWebhooksHeaders,
	},
	{
		service: 'Standard Webhooks, several signatures, a secret without its mark',
		source: 'standard-webhooks, libraries/javascript/src/webhook.test.ts',
		...standardWebhooks,
		secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
		headers: {
			...standardWebhooksHeaders,
			'webhook-signature': [
				'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=',
				'v2,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=',
				standardWebhooksHeaders['webhook-signature'],
				'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=',
			].join(' '),
		},
		signature: standardWebhooksHeaders['webhook-signature'],
	},
	{
		service: 'Svix, with its own names of headers',
		source: 'standard-webhooks, libraries/javascript/src/webhook.test.ts',
		...standardWebhooks,
		headers: {
			'svix-id': standardWebhooksHeaders['webhook-id'],
			'svix-timestamp': standardWebhooksHeaders['webhook-timestamp'],
			'svix-signature': standardWebhooksHeaders['webhook-signature'],
		},
	},
	{
		service: 'Standard Webhooks, as custom with the secret as Base64',
		source: 'standard-webhooks, libraries/javascript/src/webhook.test.ts',
		...standardWebhooks,
		parameters: custom('webhook-signature', {
			encoding: 'base64',
			separator: 'space',
			prefix: 'v1,',
			signedContent: '{id}.{timestamp}.{body}',
			timestampHeader: 'webhook-timestamp',
			keyFormat: 'base64',
		}),
		headers: standardWebhooksHeaders,
	},
	{
		service: 'Zendesk',
		source: 'developer.zendesk.com, Verifying webhook authenticity (secret and time); openssl dgst',
		parameters: custom('X-Zendesk-Webhook-Signature', {
			encoding: 'base64',
			signedContent: '{timestamp}{body}',
			timestampHeader: 'X-Zendesk-Webhook-Signature-Timestamp',
		}),
		secret: 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==',
		headers: {
			'X-Zendesk-Webhook-Signature': 'S/RDdU2ERmj7LHDDoWJ2onPYH+t7/f2+LTM4dL7UiLM=',
			'X-Zendesk-Webhook-Signature-Timestamp': '2021-03-25T05:09:27Z',
		},
		body: '{"event":"ticket.updated","id":123}',
		sentAt: Date.parse('2021-03-25T05:09:27Z'),
	},
	{
		service: 'Sinch',
		source: 'developers.sinch.com, Conversation API, Callbacks',
		parameters: custom('x-sinch-webhook-signature', {
			encoding: 'base64',
			signedContent: '{body}.{header:x-sinch-webhook-signature-nonce}.{timestamp}',
			timestampHeader: 'x-sinch-webhook-signature-timestamp',
		}),
		secret: 'foo_secret1234',
		headers: {
			'x-sinch-webhook-signature': '6bpJoRmFoXVjfJIVglMoJzYXxnoxRujzR4k2GOXewOE=',
			'x-sinch-webhook-signature-nonce': '01FJA8B4A7BM43YGWSG9GBV067',
			'x-sinch-webhook-signature-timestamp': '1634579353',
		},
		body: sinchBody,
		sentAt: seconds('1634579353'),
	},
	{
		service: 'Infobip',
		source: 'infobip.com/docs, Exchange, Signature (what is signed); openssl dgst',
		parameters: custom('X-Ib-Exchange-Req-Signature', {
			signedContent: '{timestamp}{body}',
			timestampHeader: 'X-Ib-Exchange-Req-Timestamp',
		}),
		secret: 'infobip-client-secret',
		headers: {
			'X-Ib-Exchange-Req-Signature':
				'5d16b384cd506243416c725b479894070abd2702a59da34b73c36bc0df54484a',
			'X-Ib-Exchange-Req-Timestamp': '1667951050990',
		},
		body: '{"email":"jane@example.com"}',
		sentAt: 1_667_951_050_990,
	},
	{
		service: 'Paddle, which divides the header by semicolons',
		source: 'developer.paddle.com, Verify webhook signatures (what is signed); openssl dgst',
		parameters: custom('Paddle-Signature', {
			separator: 'semicolon',
			prefix: 'h1=',
			timestampPrefix: 'ts=',
			signedContent: '{timestamp}:{body}',
		}),
		secret: 'pdl_ntfset_secret',
		headers: {
			'Paddle-Signature':
				'ts=1671552777;h1=0e319544b195b9291a9ff5a9169c5f04133b39b7028bbbe6d70c083c6b32e011',
		},
		body: '{"id":1}',
		sentAt: seconds('1671552777'),
	},
	{
		service: 'Stripe',
		source: 'stripe/stripe-node, webhooks.generateTestHeaderString; openssl dgst',
		parameters: custom('Stripe-Signature', {
			separator: 'comma',
			prefix: 'v1=',
			signedContent: '{timestamp}.{body}',
			timestampPrefix: 't=',
		}),
		secret: 'whsec_test_secret',
		headers: {
			'Stripe-Signature':
				't=1686089970,v1=652399109895ac09ee583fecf4375e4f93e6ef8144f25e94fc49b32160c4344c',
		},
		body: '{"id":"evt_1","object":"event"}',
		sentAt: seconds('1686089970'),
	},
];
