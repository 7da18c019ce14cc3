import { eventSettingsSchema } from './events/controlSchemas.ts';
import { subscriptionOperationIds } from './events/subscriptionRoutes.ts';
import type { FaultKind } from './faults.ts';
import { handlers } from './handlers/index.ts';
import { closedObject, flag, integer, oneOf, orNull, patchOf, text } from './jsonSchema.ts';
import type { Schema } from './jsonSchema.ts';
import type { Settings } from './settings.ts';

const operationIds = [...Object.keys(handlers), ...subscriptionOperationIds];

const faultKinds: { [Kind in FaultKind['kind']]: true } = {
	dropBefore: true,
	dropAfter: true,
	dropMidBody: true,
	status: true,
	tooManyRequests: true,
	html: true,
	truncatedJson: true,
	emptyBody: true,
	wrongShape: true,
	neverAnswer: true,
	redirect: true,
	delay: true,
};

const rule = (kind: FaultKind['kind'], then: Schema): Schema => ({
	if: { properties: { kind: { const: kind } } },
	then,
});

const faultSchema: Schema = {
	type: 'object',
	required: ['kind'],
	additionalProperties: false,
	properties: {
		kind: oneOf(...Object.keys(faultKinds)),
		status: integer(300),
		processed: flag,
		retryAfterMs: integer(0),
		body: {},
		location: text,
		ms: integer(0),
		operations: { anyOf: [oneOf('all'), { type: 'array', items: oneOf(...operationIds) }] },
		requests: {
			anyOf: [
				closedObject({ first: integer(1) }, ['first']),
				closedObject({ every: integer(1) }, ['every']),
				closedObject({ from: integer(1) }, ['from']),
				closedObject({ exactly: integer(1) }, ['exactly']),
				closedObject({ probability: { type: 'number' }, seed: integer(0) }, ['probability']),
			],
		},
	},
	allOf: [
		rule('status', {
			required: ['status'],
			properties: { status: { minimum: 400, maximum: 599 } },
		}),
		rule('redirect', {
			required: ['location'],
			properties: { status: oneOf(301, 302, 303, 307, 308) },
		}),
		rule('delay', { required: ['ms'] }),
	],
};

/** Body of `POST /__control/settings`: the `SettingsPatch` of settings.ts. */
export const settingsPatchSchema = patchOf<Settings>({
	dialect: patchOf<Settings['dialect']>({
		customNames: patchOf<Settings['dialect']['customNames']>({
			connectorSegment: text,
			inboxIdsParameter: text,
			inboxIdsFormat: oneOf('repeat', 'brackets', 'comma'),
			afterParameter: text,
			beforeParameter: text,
			dateFormat: oneOf('iso', 'unixSeconds', 'unixMilliseconds'),
			limitParameter: text,
			pageParameter: text,
		}),
		basePath: { type: 'string', pattern: '^(/[^/?#]+)*$' },
		links: oneOf('absolute', 'relative', 'none', 'foreign'),
		endLinks: oneOf('empty', 'omitted'),
		firstPage: oneOf(0, 1),
		total: oneOf('right', 'missing', 'tooSmall', 'tooLarge'),
		defaultPageSize: integer(1),
		maxPageSize: orNull(integer(1)),
		ignorePage: flag,
		repeatLastPage: flag,
		drift: integer(0),
	}),
	rateLimit: patchOf<Settings['rateLimit']>({
		enabled: flag,
		requests: integer(1),
		windowMs: integer(1),
		window: oneOf('fixed', 'sliding'),
		retryAfter: oneOf('seconds', 'httpDate', 'none'),
	}),
	agent: patchOf<Settings['agent']>({
		enabled: flag,
		delayMs: integer(0),
		deliveryMs: integer(0),
	}),
	events: eventSettingsSchema,
	faults: { type: 'array', items: faultSchema },
	latencyMs: integer(0),
});

/** Body of `POST /__control/reset`. */
export const resetSchema: Schema = {
	...closedObject({ parts: { type: 'array', items: oneOf('data', 'settings', 'log') } }),
	type: ['object', 'null'],
};

/** Body of `POST /__control/messages`. */
export const inboundMessageSchema = closedObject({
	apiKey: text,
	inboxId: text,
	phone: text,
	body: text,
});

/** Body of `POST /__control/statuses`. */
export const statusChangeSchema = closedObject(
	{ apiKey: text, messageId: integer(1), status: text, error: text, errorCode: integer(0) },
	['status'],
);
