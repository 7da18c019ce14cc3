import Type, { type Static } from 'typebox';

import { choice, closed, count, flag, name, type Patch } from '../schema.ts';

/**
 * Events to the outside are not part of the documented interface: interface.md says that they exist and
 * shows nothing of them. So everything here is this stand-in's own invention.
 */
export type EventName = 'message.received' | 'message.status' | 'agent.answered';

/** An address that gets the demo team's events without having subscribed. */
const fixedSubscriptionSchema = closed({
	url: Type.String(),
	/** Which events; all when left out or empty. */
	events: Type.Optional(Type.Array(Type.String())),
});

/** The endpoint at which clients subscribe. */
const endpointSchema = closed({
	/** Whether there is one. */
	enabled: flag(true),
	/** How the list is answered: in the envelope of the other lists, as an array, with 404 or with 405. */
	list: choice('envelope', 'array', 'notFound', 'notAllowed'),
});

/** How a delivery proves where it comes from: by the secret in a header, or an HMAC in another one. */
const signingSchema = closed({
	kind: choice('none', 'sharedSecret', 'signature'),
	/** Used unless the subscription has a secret of its own. */
	secret: name('demo-webhook-secret'),
});

/** The part `events` of the settings. */
export const eventSettingsSchema = closed({
	subscriptions: Type.Array(fixedSubscriptionSchema, { default: [] }),
	endpoint: endpointSchema,
	signing: signingSchema,
	/** How many further times each delivery is sent, as services do that are not sure. */
	duplicates: count(0),
});

export type Signing = Static<typeof signingSchema>;
export type EventSettings = Static<typeof eventSettingsSchema>;
export type EventSettingsPatch = Patch<EventSettings>;
