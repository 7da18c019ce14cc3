/**
 * Events to the outside are not part of the documented interface: interface.md says that they exist and
 * shows nothing of them. So everything here is this stand-in's own invention, and adjustable.
 */
export type EventName = 'message.received' | 'message.status' | 'agent.answered';

/** An address that gets events without having subscribed. */
export interface FixedSubscription {
	url: string;
	/** Which events; all when left out or empty. */
	events?: string[];
	/** Signs what this subscription gets, instead of the secret of the settings. */
	secret?: string;
	/** API key of the team whose events it gets; the demo team's unless given. */
	apiKey?: string;
}

/** The endpoint at which clients subscribe. */
export interface SubscriptionEndpoint {
	/** Whether there is one. */
	enabled: boolean;
	path: string;
	/** Names of fields, in requests and answers. */
	urlField: string;
	eventsField: string;
	secretField: string;
	idField: string;
	/** Answers a single subscription as `{ "data": … }`. */
	wrapped: boolean;
	/** How the list is answered: in the envelope of the other lists, as an array, with 404 or with 405. */
	list: 'envelope' | 'array' | 'notFound' | 'notAllowed';
	/** Whether a single subscription can be read; 405 if not. */
	readable: boolean;
}

/** What a delivery's body looks like. */
export interface EventBody {
	eventField: string;
	/** Field of the delivery's ID. */
	idField: string;
	createdField: string;
	dataField: string;
	/**
	 * Puts the message's fields beside those of the delivery, which win. Both have an `id` and `created`
	 * unless the delivery's are renamed.
	 */
	flat: boolean;
}

/** How a delivery proves where it comes from. */
export interface Signing {
	kind: 'none' | 'sharedSecret' | 'hmac';
	/** Used unless the subscription has a secret of its own. */
	secret: string;
	/** How the text of the secret stands for the bytes of the HMAC's key. */
	secretEncoding: 'utf8' | 'hex' | 'base64';
	/** Where the shared secret is sent, and the name of that header or query parameter. */
	sharedSecretIn: 'header' | 'query';
	sharedSecretName: string;
	/** Header of the HMAC. */
	signatureHeader: string;
	algorithm: 'sha1' | 'sha256' | 'sha512';
	encoding: 'hex' | 'base64';
	/** Put before the HMAC or the shared secret, such as `sha256=` or `Bearer `. */
	prefix: string;
	/** Header with the time of sending beside the HMAC; null for none. */
	timestampHeader: string | null;
	timestampFormat: 'unixSeconds' | 'unixMilliseconds' | 'iso';
	/** What the HMAC covers; null for `{timestamp}.{body}` with a timestamp header and `{body}` without. */
	template: string | null;
}

/** How deliveries are sent. Network errors, 429 and 5xx are tried again, nothing else. */
export interface DeliverySettings {
	/** How often a delivery is tried again. */
	retries: number;
	/** Pause before the first retry in milliseconds; doubles with each. */
	retryDelayMs: number;
	/** How many deliveries are on their way at the same time. */
	connections: number;
	/** How long an answer may take, in milliseconds. */
	timeoutMs: number;
}

/** What goes wrong with deliveries on purpose. */
export interface Misbehaviour {
	/** How many further times each delivery is sent, with the same ID. */
	duplicates: number;
	/** Holds each delivery back, in milliseconds. */
	delayMs: number;
	/**
	 * Out of order: holds so many deliveries back and sends the newest first. What waits for others longer
	 * than a second goes without them. 0 for none.
	 */
	reverse: number;
	signature: 'right' | 'wrong' | 'missing';
	/** By how much the timestamp is too old, in seconds. It is signed as it is. */
	timestampAgeS: number;
}

export interface EventSettings {
	subscriptions: FixedSubscription[];
	endpoint: SubscriptionEndpoint;
	body: EventBody;
	signing: Signing;
	delivery: DeliverySettings;
	misbehaviour: Misbehaviour;
}

/** What is left out stays as it is. `subscriptions` replaces the whole list. */
export type EventSettingsPatch = {
	[Part in keyof EventSettings]?: EventSettings[Part] extends unknown[]
		? EventSettings[Part]
		: Partial<EventSettings[Part]>;
};

export const defaultEventSettings: EventSettings = {
	subscriptions: [],
	endpoint: {
		enabled: true,
		path: '/public/webhooks',
		urlField: 'url',
		eventsField: 'events',
		secretField: 'secret',
		idField: 'id',
		wrapped: false,
		list: 'envelope',
		readable: true,
	},
	body: {
		eventField: 'event',
		idField: 'id',
		createdField: 'created',
		dataField: 'data',
		flat: false,
	},
	signing: {
		kind: 'none',
		secret: 'demo-webhook-secret',
		secretEncoding: 'utf8',
		sharedSecretIn: 'header',
		sharedSecretName: 'X-Webhook-Secret',
		signatureHeader: 'X-Signature',
		algorithm: 'sha256',
		encoding: 'hex',
		prefix: '',
		timestampHeader: null,
		timestampFormat: 'unixSeconds',
		template: null,
	},
	delivery: { retries: 3, retryDelayMs: 500, connections: 20, timeoutMs: 10_000 },
	misbehaviour: {
		duplicates: 0,
		delayMs: 0,
		reverse: 0,
		signature: 'right',
		timestampAgeS: 0,
	},
};

/** Applies a patch to settings and returns new ones; neither argument is changed. */
export function mergeEventSettings(
	settings: EventSettings,
	patch: EventSettingsPatch = {},
): EventSettings {
	return {
		subscriptions: patch.subscriptions ?? settings.subscriptions,
		endpoint: { ...settings.endpoint, ...patch.endpoint },
		body: { ...settings.body, ...patch.body },
		signing: { ...settings.signing, ...patch.signing },
		delivery: { ...settings.delivery, ...patch.delivery },
		misbehaviour: { ...settings.misbehaviour, ...patch.misbehaviour },
	};
}
