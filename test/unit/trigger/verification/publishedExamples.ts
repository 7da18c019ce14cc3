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
	/** The address that was called; that of the trigger in n8n unless given. */
	address?: string;
	query?: string;
	/** When it was sent, if it says so; milliseconds since 1970. */
	sentAt?: number;
	/** Headers that the signature does not depend on. */
	unsigned?: string[];
	/** The right one where there are several signatures. */
	signature?: string;
}

const ready = (scheme: string, signature: IDataObject = {}): IDataObject => ({
	verification: 'signature',
	scheme,
	signature,
});

const custom = (signatureHeader: string, signature: IDataObject): IDataObject => ({
	...ready('custom', signature),
	signatureHeader,
});

const seconds = (timestamp: string) => Number(timestamp) * 1_000;

const standardWebhooks = {
	parameters: ready('standardWebhooks'),
	secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
	body: '{"test": 2432232314}',
	sentAt: seconds('1614265330'),
};

const standardWebhooksHeaders = {
	'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
	'webhook-timestamp': '1614265330',
	'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

const twilio = {
	source: 'twilio-php, tests/Twilio/Unit/Security/RequestValidatorTest.php',
	parameters: ready('twilio'),
	secret: '12345',
	headers: {
		'X-Twilio-Signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
		'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8',
	},
	body: 'Digits=1234&To=%2B18005551212&From=%2B14158675309&Caller=%2B14158675309&CallSid=CA1234567890ABCDE',
	address: 'https://mycompany.com/myapp.php',
	query: '?foo=1&bar=2',
	unsigned: ['Content-Type'],
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
		parameters: ready('github'),
		secret: "It's a Secret to Everybody",
		headers: {
			'X-Hub-Signature-256':
				'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
		},
		body: 'Hello, World!',
	},
	{
		service: 'GitHub, as custom',
		source: 'docs.github.com, Validating webhook deliveries',
		parameters: custom('x-hub-signature-256', { prefix: 'sha256=' }),
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
		parameters: ready('slack'),
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
		service: 'Standard Webhooks with a public key',
		source: 'svix/svix-webhooks, server/svix-server/src/worker.rs',
		...standardWebhooks,
		secret: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=',
		headers: {
			...standardWebhooksHeaders,
			'webhook-signature':
				'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
		},
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
		service: 'HubSpot v3',
		source: 'HubSpot/hubspot-api-python, tests/spec/utils/test_signature.py',
		parameters: custom('X-HubSpot-Signature-v3', {
			encoding: 'base64',
			signedContent: '{method}{url}{body}{timestamp}',
			timestampHeader: 'X-HubSpot-Request-Timestamp',
		}),
		secret: 'yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy',
		headers: {
			'X-HubSpot-Signature-v3': 'K36dawei4A+QBNolUOqo7s91KQDWQ5MXZ/QufNYuk/Y=',
			'X-HubSpot-Request-Timestamp': '1693657560000',
		},
		body: "{'example_field':'example_value'}",
		address: 'https://www.example.com/webhook_uri',
		sentAt: 1_693_657_560_000,
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
		service: 'MessageBird',
		source: 'messagebird/php-rest-api, tests/Integration/RequestValidatorTest.php',
		parameters: custom('MessageBird-Signature', {
			encoding: 'base64',
			signedContent: '{timestamp}\\n{query}\\n{sha256:body}',
			timestampHeader: 'MessageBird-Request-Timestamp',
		}),
		secret: 'PlLrKaqvZNRR5zAjm42ZT6q1SQxgbbGd',
		headers: {
			'MessageBird-Signature': '2bl+38H4oHVg03pC3bk2LvCB0IHFgfC4cL5HPQ0LdmI=',
			'MessageBird-Request-Timestamp': '1547198231',
		},
		body: '{"foo":"bar"}',
		query: `?${new URLSearchParams({
			recipient: '31612345678',
			reference: 'FOO',
			statusDatetime: '2019-01-11T09:17:11+00:00',
			id: 'eef0ab57a9e049be946f3821568c2b2e',
			status: 'delivered',
			mccmnc: '20408',
			ported: '1',
		})}`,
		sentAt: seconds('1547198231'),
	},
	{
		service: 'Bird',
		source: 'docs.bird.com, Verifying webhook subscriptions (what is signed); openssl dgst',
		parameters: custom('messagebird-signature', {
			encoding: 'base64',
			signedContent: '{timestamp}\\n{url}\\n{sha256:body}',
			timestampHeader: 'messagebird-request-timestamp',
		}),
		secret: 'PlLrKaqvZNRR5zAjm42ZT6q1SQxgbbGd',
		headers: {
			'messagebird-signature': '7b2GHKvislQPBGxqnYraXWMPWP3iadzQQE/VpOifPfI=',
			'messagebird-request-timestamp': '1547198231',
		},
		body: '{"foo":"bar"}',
		query: '?a=1',
		sentAt: seconds('1547198231'),
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
		parameters: ready('stripe'),
		secret: 'whsec_test_secret',
		headers: {
			'Stripe-Signature':
				't=1686089970,v1=652399109895ac09ee583fecf4375e4f93e6ef8144f25e94fc49b32160c4344c',
		},
		body: '{"id":"evt_1","object":"event"}',
		sentAt: seconds('1686089970'),
	},
	{ service: 'Twilio', ...twilio },
	{
		service: 'Twilio, fields with several values',
		...twilio,
		headers: { ...twilio.headers, 'X-Twilio-Signature': 'IK+Dwps556ElfBT0I3Rgjkr1wJU=' },
		body: 'Digits=5678&Sid=CA123&Digits=1234&SidAccount=AC123&Digits=1234',
	},
	{
		service: 'Twilio, JSON',
		...twilio,
		headers: {
			'X-Twilio-Signature': 'a9nBmqA0ju/hNViExpshrM61xv4=',
			'Content-Type': 'application/json',
		},
		body: '{"property": "value", "boolean": true}',
		query:
			'?foo=1&bar=2&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620',
	},
	{
		service: 'Twilio, a port that it leaves out',
		...twilio,
		address: 'https://mycompany.com:1234/myapp.php',
	},
	{
		service: 'Twilio, a port that it adds',
		...twilio,
		headers: { ...twilio.headers, 'X-Twilio-Signature': 'kvajT1Ptam85bY51eRf/AJRuM3w=' },
	},
	{
		service: 'Twilio, the port of HTTP that it adds',
		...twilio,
		headers: { ...twilio.headers, 'X-Twilio-Signature': '0ZXoZLH/DfblKGATFgpif+LLRf4=' },
		address: 'http://mycompany.com/myapp.php',
	},
	{
		service: 'Twilio, with a password in the address',
		...twilio,
		headers: { ...twilio.headers, 'X-Twilio-Signature': 'ZQFR1PTIZXF2MXB8ZnKCvnnA+rI=' },
		parameters: ready('twilio', { publicUrl: 'https://user:pass@mycompany.com/myapp.php' }),
		address: 'http://localhost:5678/webhook/1',
	},
	{
		service: 'Twilio, behind a proxy',
		...twilio,
		source: 'twilio-csharp, test/Twilio.Test/Security/RequestValidatorTest.cs',
		headers: { ...twilio.headers, 'X-Twilio-Signature': 'g9IN/x4Cft2g517EjYvEvM/W7LU=' },
		parameters: ready('twilio', { publicUrl: 'https://MyCompany.com/myapp.php' }),
		address: 'http://localhost:5678/webhook/1',
	},
	{
		service: 'Twilio, as custom',
		...twilio,
		parameters: custom('X-Twilio-Signature', {
			algorithm: 'sha1',
			encoding: 'base64',
			signedContent: '{url}{fields}',
		}),
	},
	{
		service: 'Telnyx',
		source: 'developers.telnyx.com, Webhook signing (what is signed); key of RFC 8032, section 7.1',
		parameters: custom('telnyx-signature-ed25519', {
			algorithm: 'ed25519',
			encoding: 'base64',
			keyFormat: 'base64',
			signedContent: '{timestamp}|{body}',
			timestampHeader: 'telnyx-timestamp',
		}),
		secret: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
		headers: {
			'telnyx-signature-ed25519':
				'FhvqYoOueDsgf4vzgtAY4a83GyRUHXINd6x3JtMS1WNSjCPCAmdzeHHPtdBi6P58BPMt5+ej+KRw9GT2EotYDQ==',
			'telnyx-timestamp': '1613776400',
		},
		body: '{"data":{"event_type":"message.received"}}',
		sentAt: seconds('1613776400'),
	},
	{
		service: 'SendGrid',
		source: 'sendgrid/sendgrid-nodejs, packages/eventwebhook/src/eventwebhook.spec.js',
		parameters: custom('X-Twilio-Email-Event-Webhook-Signature', {
			algorithm: 'ecdsaP256',
			encoding: 'base64',
			keyFormat: 'base64',
			signedContent: '{timestamp}{body}',
			timestampHeader: 'X-Twilio-Email-Event-Webhook-Timestamp',
		}),
		secret:
			'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEDr2LjtURuePQzplybdC+u4CwrqDqBaWjcMMsTbhdbcwHBcepxo7yAQGhHPTnlvFYPAZFceEu/1FwCM/QmGUhA==',
		headers: {
			'X-Twilio-Email-Event-Webhook-Signature':
				'MEUCIQCtIHJeH93Y+qpYeWrySphQgpNGNr/U+UyUlBkU6n7RAwIgJTz2C+8a8xonZGi6BpSzoQsbVRamr2nlxFDWYNH2j/0=',
			'X-Twilio-Email-Event-Webhook-Timestamp': '1588788367',
		},
		body: '{"category":"example_payload","event":"test_event","message_id":"message_id"}',
		sentAt: seconds('1588788367'),
	},
];
