import { closedObject, flag, integer, oneOf, orNull, patchOf, text, texts } from '../jsonSchema.ts';
import type { Schema } from '../jsonSchema.ts';
import type { EventRequest } from './eventRequest.ts';
import type { EventSettings } from './settings.ts';

const name: Schema = { type: 'string', minLength: 1 };

const misbehaviourSchema = patchOf<EventSettings['misbehaviour']>({
	duplicates: integer(0),
	delayMs: integer(0),
	reverse: integer(0),
	signature: oneOf('right', 'wrong', 'missing'),
	timestampAgeS: { type: 'integer' },
});

/** The part `events` of the settings. */
export const eventSettingsSchema = patchOf<EventSettings>({
	subscriptions: {
		type: 'array',
		items: closedObject({ url: text, events: texts, secret: text, apiKey: text }, ['url']),
	},
	endpoint: patchOf<EventSettings['endpoint']>({
		enabled: flag,
		path: { type: 'string', pattern: '^(/[^/?#]+)+$' },
		urlField: name,
		eventsField: name,
		secretField: name,
		idField: name,
		wrapped: flag,
		list: oneOf('envelope', 'array', 'notFound', 'notAllowed'),
		readable: flag,
	}),
	body: patchOf<EventSettings['body']>({
		eventField: name,
		idField: name,
		createdField: name,
		dataField: name,
		flat: flag,
	}),
	signing: patchOf<EventSettings['signing']>({
		kind: oneOf('none', 'sharedSecret', 'hmac'),
		secret: name,
		secretEncoding: oneOf('utf8', 'hex', 'base64'),
		sharedSecretIn: oneOf('header', 'query'),
		sharedSecretName: name,
		signatureHeader: name,
		algorithm: oneOf('sha1', 'sha256', 'sha512'),
		encoding: oneOf('hex', 'base64'),
		prefix: text,
		timestampHeader: orNull(name),
		timestampFormat: oneOf('unixSeconds', 'unixMilliseconds', 'iso'),
		template: orNull(text),
	}),
	delivery: patchOf<EventSettings['delivery']>({
		retries: integer(0),
		retryDelayMs: integer(0),
		connections: integer(1),
		timeoutMs: integer(1),
	}),
	misbehaviour: misbehaviourSchema,
});

/** Body of `POST /__control/events`. */
export const eventRequestSchema = patchOf<EventRequest>({
	apiKey: text,
	event: name,
	data: { type: 'object' },
	body: {},
	headers: { type: 'object', additionalProperties: text },
	id: name,
	count: integer(1),
	connections: integer(1),
	misbehaviour: misbehaviourSchema,
});
