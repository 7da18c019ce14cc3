import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

import { choice, closed, count, flag, name, text, type Patch } from '../schema.ts';

/**
 * Events to the outside are not part of the documented interface: interface.md says that they exist and
 * shows nothing of them. So everything here is this stand-in's own invention, and adjustable.
 */
export type EventName = 'message.received' | 'message.status' | 'agent.answered';

/** An address that gets events without having subscribed. */
const fixedSubscriptionSchema = closed({
	url: Type.String(),
	/** Which events; all when left out or empty. */
	events: Type.Optional(Type.Array(Type.String())),
	/** Signs what this subscription gets, instead of the secret of the settings. */
	secret: Type.Optional(Type.String()),
	/** API key of the team whose events it gets; the demo team's unless given. */
	apiKey: Type.Optional(Type.String()),
});

/** The endpoint at which clients subscribe. */
const endpointSchema = closed({
	/** Whether there is one. */
	enabled: flag(true),
	path: Type.String({ pattern: '^(/[^/?#]+)+$', default: '/public/webhooks' }),
	/** Names of fields, in requests and answers. */
	urlField: name('url'),
	eventsField: name('events'),
	secretField: name('secret'),
	idField: name('id'),
	/** Answers a single subscription as `{ "data": … }`. */
	wrapped: flag(false),
	/** How the list is answered: in the envelope of the other lists, as an array, with 404 or with 405. */
	list: choice('envelope', 'array', 'notFound', 'notAllowed'),
});

/** What a delivery's body looks like. */
const bodySchema = closed({
	eventField: name('event'),
	/** Field of the delivery's ID. */
	idField: name('id'),
	createdField: name('created'),
	dataField: name('data'),
	/**
	 * Puts the message's fields beside those of the delivery, which win. Both have an `id` and `created`
	 * unless the delivery's are renamed.
	 */
	flat: flag(false),
});

/** How a delivery proves where it comes from. */
const signingSchema = closed({
	kind: choice('none', 'sharedSecret', 'signature'),
	/** Used unless the subscription has a secret of its own. */
	secret: name('demo-webhook-secret'),
	/** How the text of the secret stands for the bytes of an HMAC's key. A private key is PEM. */
	keyFormat: choice('utf8', 'hex', 'base64'),
	/** Where the shared secret is sent, and the name of that header or query parameter. */
	sharedSecretIn: choice('header', 'query'),
	sharedSecretName: name('X-Webhook-Secret'),
	/** Header of the signature. */
	signatureHeader: name('X-Signature'),
	algorithm: choice('sha256', 'sha1', 'sha512', 'ed25519', 'ecdsaP256'),
	encoding: choice('hex', 'base64'),
	/** Put before the signature or the shared secret, such as `sha256=` or `Bearer `. */
	prefix: text(''),
	/** Header with the time of sending beside the signature; null for none. */
	timestampHeader: Type.Union([Type.String({ minLength: 1 }), Type.Null()], { default: null }),
	timestampFormat: choice('unixSeconds', 'unixMilliseconds', 'iso'),
	/** What the signature covers; null for `{timestamp}.{body}` with a timestamp header and `{body}` without. */
	template: Type.Union([Type.String(), Type.Null()], { default: null }),
});

/** How deliveries are sent. Network errors, 404, 429 and 5xx are tried again, nothing else. */
const deliverySchema = closed({
	/** How often a delivery is tried again. */
	retries: count(3),
	/** Pause before the first retry; doubles with each. */
	retryDelayMs: count(500),
	/** How many deliveries are on their way at the same time. */
	connections: count(20, 1),
	/** How long an answer may take. */
	timeoutMs: count(10_000, 1),
});

/** What goes wrong with deliveries on purpose. */
export const misbehaviourSchema = closed({
	/** How many further times each delivery is sent, with the same ID. */
	duplicates: count(0),
	/** Holds each delivery back. */
	delayMs: count(0),
	/**
	 * Out of order: holds so many deliveries back and sends the newest first. What waits for others longer
	 * than a second goes without them. 0 for none.
	 */
	reverse: count(0),
	signature: choice('right', 'wrong', 'missing'),
	/** By how much the timestamp is too old, in seconds. It is signed as it is. */
	timestampAgeS: Type.Integer({ default: 0 }),
});

/** The part `events` of the settings. */
export const eventSettingsSchema = closed({
	subscriptions: Type.Array(fixedSubscriptionSchema, { default: [] }),
	endpoint: endpointSchema,
	body: bodySchema,
	signing: signingSchema,
	delivery: deliverySchema,
	misbehaviour: misbehaviourSchema,
});

export type SubscriptionEndpoint = Static<typeof endpointSchema>;
export type EventBody = Static<typeof bodySchema>;
export type Signing = Static<typeof signingSchema>;
export type Misbehaviour = Static<typeof misbehaviourSchema>;
export type EventSettings = Static<typeof eventSettingsSchema>;
export type EventSettingsPatch = Patch<EventSettings>;

export const defaultEventSettings: EventSettings = Value.Create(eventSettingsSchema);
