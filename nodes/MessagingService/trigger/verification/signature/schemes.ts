import type { IDataObject } from 'n8n-workflow';
import type { Choice } from '../../dropdown';

/** A way to sign. */
export interface SchemeChoice extends Choice {
	/** As they would be entered for a custom scheme; undefined where they have to be. */
	preset?: IDataObject;
	/** What is different with a public key in the credential. */
	withPublicKey?: IDataObject;
	/** The settings that remain. */
	adjustable: Array<'tolerance' | 'publicUrl'>;
}

export const CUSTOM: SchemeChoice = {
	name: 'Custom',
	value: 'custom',
	description: 'Any other way: enter what the documentation of your service says',
	adjustable: ['tolerance', 'publicUrl'],
};

/** The custom scheme, and those of well-known services, which others use as well. */
export const SCHEMES: SchemeChoice[] = [
	CUSTOM,
	{
		name: 'GitHub',
		value: 'github',
		description: 'X-Hub-Signature-256, also used by Meta and many others',
		preset: { signatureHeader: 'X-Hub-Signature-256', prefix: 'sha256=' },
		adjustable: [],
	},
	{
		name: 'Slack',
		value: 'slack',
		description: 'X-Slack-Signature',
		preset: {
			signatureHeader: 'X-Slack-Signature',
			prefix: 'v0=',
			timestampHeader: 'X-Slack-Request-Timestamp',
			signedContent: 'v0:{timestamp}:{body}',
		},
		adjustable: ['tolerance'],
	},
	{
		name: 'Standard Webhooks',
		value: 'standardWebhooks',
		description:
			'Webhook-Signature, used by Svix and many others. The secret begins with whsec_ or whpk_.',
		preset: {
			signatureHeader: 'webhook-signature, svix-signature',
			separator: 'space',
			prefix: 'v1,',
			encoding: 'base64',
			keyFormat: 'base64',
			timestampHeader: 'webhook-timestamp, svix-timestamp',
			signedContent: '{id}.{timestamp}.{body}',
		},
		withPublicKey: { algorithm: 'ed25519', prefix: 'v1a,' },
		adjustable: ['tolerance'],
	},
	{
		name: 'Stripe',
		value: 'stripe',
		description: 'Stripe-Signature',
		preset: {
			signatureHeader: 'Stripe-Signature',
			separator: 'comma',
			prefix: 'v1=',
			timestampPrefix: 't=',
			signedContent: '{timestamp}.{body}',
		},
		adjustable: ['tolerance'],
	},
	{
		name: 'Twilio',
		value: 'twilio',
		description: 'X-Twilio-Signature. The secret is the auth token.',
		preset: {
			signatureHeader: 'X-Twilio-Signature',
			algorithm: 'sha1',
			encoding: 'base64',
			signedContent: '{url}{fields}',
		},
		adjustable: ['publicUrl'],
	},
];
