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
}

const hmac = (signatureHeader: string, settings: IDataObject): IDataObject => ({
	verification: 'signature',
	signatureHeader,
	...settings,
});

const STANDARD_SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

const standardWebhooks = {
	source: 'standard-webhooks, libraries/javascript/src/webhook.test.ts',
	parameters: { verification: 'signature', scheme: 'standardWebhooks' },
	secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
	headers: {
		'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
		'webhook-timestamp': '1614265330',
		'webhook-signature': STANDARD_SIGNATURE,
	},
	body: '{"test": 2432232314}',
	sentAt: 1_614_265_330_000,
};

export const EXAMPLES: Example[] = [
	{
		service: 'GitHub',
		source: 'docs.github.com, Validating webhook deliveries',
		parameters: hmac('X-Hub-Signature-256', { prefix: 'sha256=' }),
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
		parameters: hmac('X-Hub-Signature', { algorithm: 'sha1', prefix: 'sha1=' }),
		secret: 'mysecret',
		headers: { 'X-Hub-Signature': 'sha1=d03207e4b030cf234e3447bac4d93add4c6643d8' },
		body: '{"foo":"bar"}',
	},
	{
		service: 'LINE, and Shopify with another header',
		source: 'line/line-bot-sdk-nodejs, test/validate-signature.spec.ts',
		parameters: hmac('X-Line-Signature', { encoding: 'base64' }),
		secret: 'test_secret',
		headers: { 'x-line-signature': 't7Hn4ZDHqs6e+wdvI5TyQIvzie0DmMUmuXEBqyyE/tM=' },
		body: '{"hello":"world"}',
	},
	{
		service: 'Slack',
		source: 'docs.slack.dev, Verifying requests from Slack',
		parameters: hmac('X-Slack-Signature', {
			prefix: 'v0=',
			signedContent: 'v0:{timestamp}:{body}',
			timestampHeader: 'X-Slack-Request-Timestamp',
		}),
		secret: '8f742231b10e8888abcd99yyyzzz85a5',
		headers: {
			'X-Slack-Request-Timestamp': '1531420618',
			'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
		},
		body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
		sentAt: 1_531_420_618_000,
	},
	{
		service: 'Zendesk',
		source: 'developer.zendesk.com, Verifying webhook authenticity (secret and time); openssl dgst',
		parameters: hmac('X-Zendesk-Webhook-Signature', {
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
	{ service: 'Standard Webhooks', ...standardWebhooks },
	{
		service: 'Standard Webhooks, the secret without its mark',
		...standardWebhooks,
		secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
	},
	{
		service: 'Standard Webhooks, the secret with its version',
		...standardWebhooks,
		secret: `v1,${standardWebhooks.secret}`,
	},
	{
		service: 'Svix, with its own names of headers',
		...standardWebhooks,
		headers: {
			'svix-id': standardWebhooks.headers['webhook-id'],
			'svix-timestamp': standardWebhooks.headers['webhook-timestamp'],
			'svix-signature': STANDARD_SIGNATURE,
		},
	},
];

const OTHER_SIGNATURE = 'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';

/** What Standard Webhooks may have in its signature header, with the right one among others, however it was folded. */
export const SEVERAL_SIGNATURES: Example[] = [
	`${OTHER_SIGNATURE} ${OTHER_SIGNATURE.replace('v1', 'v2')} ${STANDARD_SIGNATURE} ${OTHER_SIGNATURE}`,
	`${STANDARD_SIGNATURE}, v1,AAAA`,
	`v1,AAAA, ${STANDARD_SIGNATURE}`,
	`${STANDARD_SIGNATURE} v1a,xx`,
	`v1a,xx,${STANDARD_SIGNATURE}`,
	`${STANDARD_SIGNATURE},v1a,xx`,
	`${STANDARD_SIGNATURE}, ${STANDARD_SIGNATURE}`,
].map((signature) => ({
	...standardWebhooks,
	service: `Standard Webhooks with ${signature}`,
	headers: { ...standardWebhooks.headers, 'webhook-signature': signature },
}));
